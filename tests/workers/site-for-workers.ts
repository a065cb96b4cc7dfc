import fs from "node:fs";
import { afterEach, beforeEach, expect } from "vitest";
import { makeClip } from "../media-clips";
import { SiteProcess } from "../site-process";
import { slowFfmpeg } from "../wrapped-ffmpeg";
import { WorkerProcess } from "./worker-process";

let uploadId = 1_700_000_000_000;

/** Starts a site without encoders before each test. Its workers know only its URL and their tokens. */
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
    /** Returns the environment variables for a worker that encodes videos at `speed` times the playback speed. */
    slow: (speed = 1) => ({ PATH: slowFfmpeg(site.folder, speed) }),
    /** Adds a video and its jobs of the given kinds. Returns the video's ID. */
    addVideoWithFile(seconds: number, kinds = ["ladder"]) {
      const clip = makeClip(site.folder, `video-${seconds}`, {
        seconds,
        output: ["-movflags", "+faststart"],
      });
      const name = String(uploadId++);
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
    /** Checks that all segments in all of the stream's playlists can be loaded. */
    async expectPlayable(id: string): Promise<void> {
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
          const response = await fetch(new URL(file!, address), { headers: { Range } });
          expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([
            206,
            Number(bytes),
          ]);
        }
      }
    },
  };
}
