import fs from "node:fs";
import { makeClip } from "../../media-clips";
import { SiteProcess } from "../../site-process";
import { median, type Report } from "../report";

const MAX_RATIO = 1.5;
const ROUNDS = 3;
const REQUESTS = 400;
const INTERVAL_MS = 15;
const VIDEO_SECONDS = 60;

/** Measures the 99th percentile of the home page's response times while a stream is being encoded. */
export async function run(report: Report): Promise<void> {
  const site = new SiteProcess({ ENCODER_CONCURRENCY: "1", ENCODER_PRESET: "auto" });
  try {
    await site.start();
    for (let index = 0; index < 30; index++) site.addVideo({ title: `Video ${index}` });
    await latencies(site);
    const idle: number[] = [];
    for (let round = 0; round < ROUNDS; round++) idle.push(p99(await latencies(site)));
    await startEncoding(site);
    const busy: number[] = [];
    for (let round = 0; round < ROUNDS; round++) busy.push(p99(await latencies(site)));
    const { state } = site
      .database()
      .prepare("SELECT state FROM jobs WHERE kind = 'ladder'")
      .get() as { state: string };
    if (state !== "running")
      throw new Error(`The ladder job is ${state}, so nothing was measured.`);
    report.figure("home while idle, p99", median(idle), "ms");
    report.figure("home while encoding, p99", median(busy), "ms");
    report.atMost("home while encoding / idle", median(busy) / median(idle), MAX_RATIO, "times");
  } finally {
    await site.remove();
  }
}

/** Sends requests at a steady rate, and returns their response times in milliseconds. */
async function latencies(site: SiteProcess): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < REQUESTS; index++) {
    const start = performance.now();
    // Each search differs from the previous one, so that no response comes from a cache.
    await (await fetch(`${site.url}/?search=Video%20${index % 30}`)).text();
    const took = performance.now() - start;
    times.push(took);
    await new Promise((next) => setTimeout(next, Math.max(0, INTERVAL_MS - took)));
  }
  return times;
}

function p99(times: number[]): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
}

async function startEncoding(site: SiteProcess): Promise<void> {
  const clip = makeClip(site.folder, "video", {
    videoSource: `testsrc2=size=1280x720:rate=30:duration=${VIDEO_SECONDS}`,
    seconds: VIDEO_SECONDS,
    output: ["-movflags", "+faststart"],
  });
  const video_url = site.addFile("videos", "u/1700000000000.mp4", fs.readFileSync(clip));
  const id = site.addVideo({ title: "Video", video_url });
  const database = site.database();
  database.prepare("INSERT INTO jobs (video_id, kind, priority) VALUES (?, 'ladder', 40)").run(id);
  const running = database.prepare("SELECT 1 FROM jobs WHERE progress > 0");
  while (!running.get()) await new Promise((next) => setTimeout(next, 100));
}
