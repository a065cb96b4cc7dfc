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
const FRAMES_OF_UPLOAD = 32;
const SEARCHES = 20;
const COMPARED_VIDEOS = 500;
const MAX_MS = 200;

/**
 * Measures how long it takes to compare an upload with 10,000 blocked videos. `tests/encoding/block-list-rates` covers
 * altered copies.
 */
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
        if (video < COMPARED_VIDEOS) videos.push(frames);
        add.run(frames);
      }
    })();
    const search = readBlockedVideos(sqlite);
    const start = performance.now();
    search(partOf(videos[0]!));
    report.figure(
      `first check after the start, ${VIDEOS.toLocaleString("en")} blocked videos`,
      performance.now() - start,
      "ms",
    );
    const times: number[] = [];
    let correct = 0;
    for (let each = 0; each < SEARCHES; each++) {
      const index = (each * 37) % COMPARED_VIDEOS;
      const video = partOf(videos[index]!);
      const start = performance.now();
      const ids = search(video);
      times.push(performance.now() - start);
      if (ids.length === 1 && ids[0] === index + 1) correct += 1;
    }
    const compareStart = performance.now();
    for (const frames of videos)
      similarity(partOf(videos[0]!), { first: 0.5, step: 1, hashes: frames });
    const plain = ((performance.now() - compareStart) * VIDEOS) / videos.length;
    report.atMost("check of an upload, p95", p95(times), MAX_MS, "ms");
    report.figure("comparing all pairs of frames", plain, "ms");
    report.figure("comparing all pairs takes", plain / median(times), "times as long");
    report.atLeast("share of checks with exactly the right match", correct / SEARCHES, 1);
  } finally {
    sqlite.close();
  }
}

/** Returns a video's frames with six bits changed in each. This simulates a re-encoded copy that starts later. */
function partOf(frames: Buffer): Frames {
  const hashes = Buffer.alloc(FRAMES_OF_UPLOAD * 16);
  for (let at = 0; at < FRAMES_OF_UPLOAD; at++) {
    const start = (40 + at * 16) * VARIANTS * 8;
    frames.copy(hashes, at * 16, start, start + 8);
    for (let bit = 0; bit < 6; bit++) {
      const changed = randomInt(64);
      hashes[at * 16 + (changed >> 3)]! ^= 1 << (changed & 7);
    }
    randomBytes(8).copy(hashes, at * 16 + 8);
  }
  return { first: 3.2, step: 16, hashes };
}
