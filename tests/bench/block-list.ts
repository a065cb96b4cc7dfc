import { randomBytes, randomInt } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { readBlockedFilms } from "~/media/block-list/blocked-index.server";
import { type Frames, likeness } from "~/media/block-list/compare";
import { VARIANTS } from "~/media/block-list/frame-hashes";
import { takeBlockedFrames, takeComparedFrames } from "~/media/block-list/take-frames.server";
import { createTask } from "~/media/encode/task.server";
import { ffmpegAvailable, run as runProgram } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { openSqlite } from "~db/client.server";
import { migrate } from "~db/migrate.server";
import { CHANGES, CLIPS, drawnBlocked, drawnFilm } from "./altered-films";
import { median, p95, type Report } from "./report";

const FILMS = Number(process.env.BENCH_ROWS) || 10_000;
const FRAMES = 600;
const COMPARED = 32;
const SEARCHES = 20;
const PLAIN_FILMS = 500;
const MOST_MS = 200;
const NEGATIVES = 500;
const LEAST_FOUND = 0.95;

/** Finds copies of blocked films, no others, and one among ten thousand while somebody waits. */
export async function run(report: Report): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bench-block-list-"));
  try {
    if (ffmpegAvailable()) await findCopies(folder, report);
    findAmongMany(folder, report);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function findCopies(folder: string, report: Report): Promise<void> {
  const task = createTask(folder, () => {});
  const read = async (file: string) => (await probe(file))!;
  const make = async (name: string, args: string[]) => {
    const file = path.join(folder, `${name}.mp4`);
    const encode = ["-an", "-c:v", "libx264", "-preset", "ultrafast"];
    await runProgram(
      "ffmpeg",
      [
        "-v",
        "error",
        "-y",
        ...args.slice(0, -1),
        ...encode,
        ...[args.at(-1)!].filter(Boolean),
        file,
      ],
      { cpuSeconds: 300 },
    );
    return file;
  };
  const blocked: Frames[] = [];
  const found = new Map<string, number>(Object.keys(CHANGES).map((name) => [name, 0]));
  const times: number[] = [];
  for (const [name, source] of Object.entries(CLIPS)) {
    const file = await make("clip", ["-f", "lavfi", "-i", source, ""]);
    const frames = await takeBlockedFrames(file, await read(file), task);
    blocked.push(frames);
    for (const [change, [before, filters, more = []]] of Object.entries(CHANGES)) {
      const copy = await make("copy", [...before, "-i", file, "-vf", filters, ...more, ""]);
      const probed = await read(copy);
      const from = performance.now();
      const compared = await takeComparedFrames(copy, probed, task, true);
      times.push(performance.now() - from);
      if (likeness(compared, frames) > 0) found.set(change, found.get(change)! + 1);
      else console.log(`  not found: ${name}, ${change}`);
    }
  }
  const clips = Object.keys(CLIPS).length;
  for (const [change, count] of found)
    report.figure(`found ${change}, of ${clips}`, count, "clips");
  const all = [...found.values()].reduce((sum, count) => sum + count, 0);
  report.atLeast("copies found", all / (clips * found.size), LEAST_FOUND);
  report.figure("frames of an upload, median", median(times), "ms");
  let wrong = 0;
  for (let seed = 1; seed <= NEGATIVES; seed++) {
    const other = drawnFilm(seed);
    if (blocked.some((film) => likeness(other, film) > 0)) wrong += 1;
  }
  report.atMost(`of ${NEGATIVES} other clips taken for one of them`, wrong, 0, "clips");
  const films = Array.from({ length: NEGATIVES }, (_, seed) => drawnFilm(seed + 1));
  const drawn = Array.from({ length: 10 }, (_, at) => drawnBlocked(NEGATIVES + 1 + at));
  const pairs = films.flatMap((film) => drawn.map((other) => likeness(film, other)));
  report.atMost(
    `of ${pairs.length} pairs of drawn clips taken for one`,
    pairs.filter(Boolean).length,
    0,
    "pairs",
  );
}

function findAmongMany(folder: string, report: Report): void {
  const sqlite = openSqlite(path.join(folder, "site.sqlite"));
  try {
    migrate(sqlite);
    const add = sqlite.prepare(
      "INSERT INTO blocked_films (reason, blocked_at, state, first, step, frames) VALUES ('other', '2026', 'ready', 0.5, 1, ?)",
    );
    const films: Buffer[] = [];
    sqlite.transaction(() => {
      for (let film = 0; film < FILMS; film++) {
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
        if (film < PLAIN_FILMS) films.push(frames);
        add.run(frames);
      }
    })();
    const search = readBlockedFilms(sqlite);
    const begun = performance.now();
    search(partOf(films[0]!));
    report.figure(
      `the first check after a start, ${FILMS.toLocaleString("en")} blocked films`,
      performance.now() - begun,
      "ms",
    );
    const times: number[] = [];
    let right = 0;
    for (let each = 0; each < SEARCHES; each++) {
      const index = (each * 37) % PLAIN_FILMS;
      const film = partOf(films[index]!);
      const from = performance.now();
      const ids = search(film);
      times.push(performance.now() - from);
      if (ids.length === 1 && ids[0] === index + 1) right += 1;
    }
    const from = performance.now();
    for (const frames of films)
      likeness(partOf(films[0]!), { first: 0.5, step: 1, hashes: frames });
    const plain = ((performance.now() - from) * FILMS) / films.length;
    report.atMost("check of an upload, p95", p95(times), MOST_MS, "ms");
    report.figure("the same, every frame with every other", plain, "ms");
    report.figure("times as long", plain / median(times), "");
    report.atLeast("found, and nothing else", right / SEARCHES, 1);
  } finally {
    sqlite.close();
  }
}

/** Frames of a film with six bits of each changed, as of one that was encoded anew and begins later. */
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
