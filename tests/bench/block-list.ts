import { randomBytes, randomInt } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { readBlockedVideos } from "~/features/processing/comparison/blocked-index.server";
import { type Frames, similarity, VARIANTS } from "~/features/processing/comparison/frame-hashes";
import { openSqlite } from "~db/client.server";
import { migrate } from "~db/migrate.server";
import { median, p95, type Report } from "./report";

const VIDEOS = Number(process.env.BENCH_ROWS) || 10_000;
const FRAMES = 600;
const COMPARED = 32;
const SEARCHES = 20;
const PLAIN_VIDEOS = 500;
const MAX_MS = 200;

/** Compares an upload with ten thousand blocked videos. `tests/encoding/block-list-rates` finds altered copies. */
export function run(report: Report): void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bench-block-list-"));
  try {
    findAmongMany(folder, report);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function findAmongMany(folder: string, report: Report): void {
  const sqlite = openSqlite(path.join(folder, "site.sqlite"));
  try {
    migrate(sqlite);
    const add = sqlite.prepare(
      "INSERT INTO blocked_videos (reason, blocked_at, state, first, step, frames) VALUES ('other', '2026', 'ready', 0.5, 1, ?)",
    );
    const videos: Buffer[] = [];
    sqlite.transaction(() => {
      for (let video = 0; video < VIDEOS; video++) {
        const hashes = randomBytes(FRAMES * 8);
        const frames = Buffer.alloc(FRAMES * VARIANTS * 8);
        for (let at = 0; at < FRAMES * VARIANTS; at++) {
          hashes.copy(
            frames,
            at * 8,
            Math.floor(at / VARIANTS) * 8,
            Math.floor(at / VARIANTS) * 8 + 8,
          );
        }
        if (video < PLAIN_VIDEOS) videos.push(frames);
        add.run(frames);
      }
    })();
    const search = readBlockedVideos(sqlite);
    const begun = performance.now();
    search(partOf(videos[0]!));
    report.figure(
      `the first check after a start, ${VIDEOS.toLocaleString("en")} blocked videos`,
      performance.now() - begun,
      "ms",
    );
    const times: number[] = [];
    let right = 0;
    for (let each = 0; each < SEARCHES; each++) {
      const index = (each * 37) % PLAIN_VIDEOS;
      const video = partOf(videos[index]!);
      const from = performance.now();
      const ids = search(video);
      times.push(performance.now() - from);
      if (ids.length === 1 && ids[0] === index + 1) right += 1;
    }
    const from = performance.now();
    for (const frames of videos)
      similarity(partOf(videos[0]!), { first: 0.5, step: 1, hashes: frames });
    const plain = ((performance.now() - from) * VIDEOS) / videos.length;
    report.atMost("check of an upload, p95", p95(times), MAX_MS, "ms");
    report.figure("the same, every frame with every other", plain, "ms");
    report.figure("times as long", plain / median(times), "");
    report.atLeast("found, and nothing else", right / SEARCHES, 1);
  } finally {
    sqlite.close();
  }
}

/** Frames of a video with six bits of each changed, as of one that was encoded anew and begins later. */
function partOf(frames: Buffer): Frames {
  const hashes = Buffer.alloc(COMPARED * 16);
  for (let at = 0; at < COMPARED; at++) {
    const from = (40 + at * 16) * VARIANTS * 8;
    frames.copy(hashes, at * 16, from, from + 8);
    for (let bit = 0; bit < 6; bit++) {
      const changed = randomInt(64);
      hashes[at * 16 + (changed >> 3)]! ^= 1 << (changed & 7);
    }
    randomBytes(8).copy(hashes, at * 16 + 8);
  }
  return { first: 3.2, step: 16, hashes };
}
