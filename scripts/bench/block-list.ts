import { randomBytes, randomInt } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { readBlockedFilms } from "~/media/block-list/blocked-index.server";
import { type Frames, likeness } from "~/media/block-list/compare";
import {
  blockedFrame,
  boxOf,
  comparedFrame,
  FRAME_SIDE,
  VARIANTS,
} from "~/media/block-list/frame-hashes";
import { takeBlockedFrames, takeComparedFrames } from "~/media/block-list/take-frames.server";
import { createTask } from "~/media/encode/task.server";
import { ffmpegAvailable, run as runProgram } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { openSqlite } from "~db/client.server";
import { migrate } from "~db/migrate.server";
import { median, p95, type Report } from "./report";

const FILMS = Number(process.env.BENCH_ROWS) || 10_000;
const FRAMES = 600;
const COMPARED = 32;
const SEARCHES = 20;
const PLAIN_FILMS = 500;
const MOST_MS = 200;
const NEGATIVES = 500;
const LEAST_FOUND = 0.95;

/** How blocked clips are changed: options before and behind the input. */
const CHANGES: Record<string, [before: string[], filters: string, more?: string[]]> = {
  "re-encoded": [[], "null", ["-crf", "40"]],
  scaled: [[], "scale=214:120"],
  "cropped by 5 %": [[], "crop=iw*0.95:ih*0.95"],
  "cropped at a corner": [[], "crop=iw*0.95:ih*0.95:0:0"],
  mirrored: [[], "hflip"],
  letterboxed: [[], "pad=iw:ih*1.33:0:(oh-ih)/2"],
  trimmed: [["-ss", "3.7", "-t", "17"], "null"],
  "all of these": [
    ["-ss", "2.3", "-t", "20"],
    "crop=iw*0.95:ih*0.95,hflip,scale=320:180,pad=320:240:0:30",
    ["-crf", "35"],
  ],
};
const spots = (seed: number) =>
  `color=gray:size=16x12:rate=2/5:duration=30,noise=alls=100:allf=t:all_seed=${seed},scale=426:240:flags=bicubic,fps=10`;
const CLIPS: Record<string, string> = {
  ...Object.fromEntries([13, 26, 39].map((seed) => [`scenes ${seed}`, spots(seed)])),
  life: "life=size=80x60:rate=5:mold=10:random_seed=5:ratio=0.2,scale=426:240,trim=duration=30",
  mandelbrot: "mandelbrot=size=426x240:rate=10,trim=duration=30",
  cells: "cellauto=size=106x60:rate=10:random_seed=7,scale=426:240,trim=duration=30",
  gradients: "gradients=size=426x240:rate=10:duration=30:nb_colors=6:seed=9:speed=0.05",
  "test card": "testsrc2=size=426x240:rate=10:duration=30",
};

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

/** A clip of eight scenes of soft lights that move, drawn here: 500 by ffmpeg would take minutes. */
function drawn(seed: number): Uint8Array[] {
  let state = seed * 7_919;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const frames: Uint8Array[] = [];
  for (let scene = 0; scene < 8; scene++) {
    const lights = Array.from({ length: 6 }, () => [
      random(),
      random(),
      random() * 0.2 + 0.05,
      random(),
      random() - 0.5,
    ]);
    for (let at = 0; at < COMPARED / 8; at++) {
      const frame = new Uint8Array(FRAME_SIDE ** 2);
      for (let pixel = 0; pixel < frame.length; pixel++) {
        const x = (pixel % FRAME_SIDE) / FRAME_SIDE;
        const y = Math.floor(pixel / FRAME_SIDE) / FRAME_SIDE;
        let light = 30;
        for (const [cx, cy, size, strength, motion] of lights) {
          const dx = x - cx! - motion! * at * 0.05;
          const square = (dx * dx + (y - cy!) ** 2) / size! ** 2;
          if (square < 9) light += 220 * strength! * Math.exp(-square);
        }
        frame[pixel] = Math.min(255, light);
      }
      frames.push(frame);
    }
  }
  return frames;
}

function drawnFilm(seed: number): Frames {
  const frames = drawn(seed);
  const box = boxOf(frames);
  const hashes = Buffer.concat(frames.map((frame) => comparedFrame(frame, box)));
  return { first: 0.5, step: 1, hashes };
}

function drawnBlocked(seed: number): Frames {
  const frames = drawn(seed);
  const box = boxOf(frames);
  return {
    first: 0.5,
    step: 1,
    hashes: Buffer.concat(frames.map((frame) => blockedFrame(frame, box))),
  };
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
