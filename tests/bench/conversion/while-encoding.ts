import fs from "node:fs";
import { makeClip } from "../../media-clips";
import { SiteProcess } from "../../site-process";
import { median, type Report } from "../report";

const MAX_RATIO = 1.5;
const ROUNDS = 3;
const REQUESTS = 400;
const EVERY_MS = 15;
const VIDEO_SECONDS = 60;

/** How quick Home stays, at the 99th of 100 requests, while a video is made into a stream. */
export async function run(report: Report): Promise<void> {
  const site = new SiteProcess({ ENCODER_CONCURRENCY: "1", ENCODER_PRESET: "auto" });
  try {
    await site.start();
    for (let index = 0; index < 30; index++) site.addVideo({ title: `Video ${index}` });
    await latencies(site);
    const idle: number[] = [];
    for (let round = 0; round < ROUNDS; round++) idle.push(p99(await latencies(site)));
    await beginEncoding(site);
    const busy: number[] = [];
    for (let round = 0; round < ROUNDS; round++) busy.push(p99(await latencies(site)));
    const { state } = site
      .database()
      .prepare("SELECT state FROM jobs WHERE kind = 'ladder'")
      .get() as { state: string };
    if (state !== "running") throw new Error(`The ladder is ${state}; nothing was measured.`);
    report.figure("Home at the 99th of 100, idle", median(idle), "ms");
    report.figure("Home at the 99th of 100, while encoding", median(busy), "ms");
    report.atMost("slower while encoding", median(busy) / median(idle), MAX_RATIO, "times");
  } finally {
    await site.remove();
  }
}

/** Requests at a steady pace, as visitors come; each one's time in milliseconds. */
async function latencies(site: SiteProcess): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < REQUESTS; index++) {
    const begun = performance.now();
    // A search for itself alone, so that no answer comes from a memory.
    await (await fetch(`${site.url}/?search=Video%20${index % 30}`)).text();
    const took = performance.now() - begun;
    times.push(took);
    await new Promise((next) => setTimeout(next, Math.max(0, EVERY_MS - took)));
  }
  return times;
}

function p99(times: number[]): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
}

async function beginEncoding(site: SiteProcess): Promise<void> {
  const clip = makeClip(site.folder, "video", {
    picture: `testsrc2=size=1280x720:rate=30:duration=${VIDEO_SECONDS}`,
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
