import fs from "node:fs";
import { makeClip } from "../../media-clips";
import { until } from "../../process-figures";
import { SiteProcess } from "../../site-process";
import { WorkerProcess } from "../../workers/worker-process";
import type { Report } from "../report";

const VIDEOS = 10;
const VIDEO_SECONDS = 10;
/** Only the fastest round counts, because ffmpeg yields to all other work on the machine. */
const ROUNDS = 3;
const MIN_RATIO = 1.7;

/** Compares one worker with two workers, each with one CPU, on the same queue. */
export async function run(report: Report): Promise<void> {
  const times = { alone: [] as number[], both: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.alone.push(await secondsFor(1));
    times.both.push(await secondsFor(2));
  }
  const [alone, both] = [Math.min(...times.alone), Math.min(...times.both)];
  report.figure(`${VIDEOS} videos with one worker`, alone, "s");
  report.figure(`${VIDEOS} videos with two workers`, both, "s");
  report.atLeast("two workers are", alone / both, MIN_RATIO, "times as fast");
}

async function secondsFor(count: number): Promise<number> {
  const site = new SiteProcess({ ENCODER_PRESET: "veryfast" });
  const workers: WorkerProcess[] = [];
  try {
    await site.start();
    const clip = makeClip(site.folder, "video", {
      ...{ seconds: VIDEO_SECONDS, size: "1280x720", output: ["-movflags", "+faststart"] },
    });
    const video = fs.readFileSync(clip);
    for (let cpu = 0; cpu < count; cpu++) {
      const worker = new WorkerProcess(site, `worker ${cpu}`);
      workers.push(worker);
      worker.start({ ENCODER_THREADS: "1" }, ["taskset", "-c", String(cpu)]);
      await worker.waitForOutput("Processing jobs from");
    }
    const add = site
      .database()
      .prepare("INSERT INTO jobs (video_id, kind, priority) VALUES (?, 'ladder', 40)");
    const videos = Array.from({ length: VIDEOS }, (_, number) => {
      const video_url = site.addFile("videos", `u/${1_700_000_000_000 + number}.mp4`, video);
      return site.addVideo({ title: `Video ${number}`, video_url });
    });
    const unfinished = site
      .database()
      .prepare("SELECT count(*) FROM jobs WHERE state <> 'done'")
      .pluck();
    const start = performance.now();
    for (const id of videos) add.run(id);
    await until(() => unfinished.get() === 0);
    return (performance.now() - start) / 1000;
  } finally {
    for (const worker of workers) await worker.remove();
    await site.remove();
  }
}
