import fs from "node:fs";
import { afterEach, beforeEach, expect } from "vitest";
import { makeClip } from "../media-clips";
import { SiteProcess } from "../site-process";
import { slowFfmpeg } from "../wrapped-ffmpeg";
import { WorkerProcess } from "./worker-process";

let number = 1_700_000_000_000;

/** A site for each test that converts nothing by itself, and workers that know its address and their token alone. */
export function useSiteForWorkers() {
  let site: SiteProcess;
  let workers: WorkerProcess[];
  beforeEach(async () => {
    site = new SiteProcess();
    workers = [];
    await site.start();
  });
  afterEach(async () => {
    for (const worker of workers) await worker.remove();
    await site.remove();
  });

  const jobOf = (id: string, kind = "ladder") =>
    site.database().prepare("SELECT * FROM jobs WHERE video_id = ? AND kind = ?").get(id, kind) as {
      state: string;
      attempts: number;
      progress: number;
      worker: string | null;
    };

  return {
    get site() {
      return site;
    },
    addWorker(name: string): WorkerProcess {
      const worker = new WorkerProcess(site, name);
      workers.push(worker);
      return worker;
    },
    /** The environment of a worker that encodes a video at so many times the speed of playing it. */
    slow: (speed = 1) => ({ PATH: slowFfmpeg(site.folder, speed) }),
    /** Asks for the stream of a video, and for what else the queue makes of it. */
    addVideoWithFile(seconds: number, kinds = ["ladder"]) {
      const clip = makeClip(site.folder, `video-${seconds}`, {
        seconds,
        output: ["-movflags", "+faststart"],
      });
      const name = String(number++);
      const video_url = site.addFile("videos", `u/${name}.mp4`, fs.readFileSync(clip));
      const id = site.addVideo({ title: `The video ${name}`, video_url });
      const add = site
        .database()
        .prepare("INSERT INTO jobs (video_id, kind, priority) VALUES (?, ?, 40)");
      for (const kind of kinds) add.run(id, kind);
      return id;
    },
    jobOf,
    isDone: (id: string, kind?: string) => jobOf(id, kind).state === "done",
    /** Plays all segments of all playlists of the stream. */
    async playsWhole(id: string): Promise<void> {
      const url = site
        .database()
        .prepare("SELECT hls_url FROM videos WHERE id = ?")
        .pluck()
        .get(id);
      const master = await fetch(`${site.url}${url}`);
      expect(master.status).toBe(200);
      const playlists = (await master.text()).match(/^[\w-]+\.m3u8$/gm) ?? [];
      expect(playlists.length).toBeGreaterThan(0);
      for (const name of playlists) {
        const address = new URL(name, master.url);
        const text = await (await fetch(address)).text();
        expect(text).toContain("#EXT-X-ENDLIST");
        const segments = [...text.matchAll(/^#EXT-X-BYTERANGE:(\d+)@(\d+)\n(.+)$/gm)];
        expect(segments.length).toBeGreaterThan(0);
        for (const [, bytes, offset, file] of segments) {
          const Range = `bytes=${offset}-${Number(offset) + Number(bytes) - 1}`;
          const answer = await fetch(new URL(file!, address), { headers: { Range } });
          expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([
            206,
            Number(bytes),
          ]);
        }
      }
    },
  };
}
