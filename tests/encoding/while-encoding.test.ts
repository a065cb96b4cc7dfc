import fs from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { makeClip } from "../media-clips";
import { until } from "../process-figures";
import { SiteProcess } from "../site-process";
import { slowFfmpeg } from "../wrapped-ffmpeg";

const site = new SiteProcess({ ENCODER_CONCURRENCY: "1" });
beforeAll(() => site.start({ PATH: slowFfmpeg(site.folder) }));
afterAll(() => site.remove());

describe.runIf(ffmpegAvailable())("while a stream is being encoded", () => {
  it("the home page responds, and changes reach subscribers", async () => {
    const clip = makeClip(site.folder, "video", {
      seconds: 60,
      output: ["-movflags", "+faststart"],
    });
    const video_url = site.addFile("videos", "u/1700000000000.mp4", fs.readFileSync(clip));
    const id = site.addVideo({ title: "The video", video_url });
    const database = site.database();
    const state = database.prepare("SELECT state, progress FROM jobs").bind();
    const job = () => state.get() as { state: string; progress: number };
    database
      .prepare("INSERT INTO jobs (video_id, kind, priority) VALUES (?, 'ladder', 40)")
      .run(id);
    await until(() => job().state === "running" && job().progress > 0);

    const abort = new AbortController();
    const events = await fetch(`${site.url}/events`, { signal: abort.signal });
    const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
    let received = "";
    const waitFor = async (word: string) => {
      while (!received.includes(word)) received += (await reader.read()).value ?? "";
    };
    await waitFor("event: hello");
    for (let number = 1; number <= 20; number++) {
      site.addVideo({ title: `Another ${number}` });
      const home = await fetch(`${site.url}/?search=Another%20${number}`);
      expect(home.status).toBe(200);
      expect(await home.text()).toContain(`Another ${number}`);
    }
    await waitFor("event: catalogue");
    expect(job().state).toBe("running");
    abort.abort();
  });
});
