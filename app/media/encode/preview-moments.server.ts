import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { inputArguments } from "../probe/ffmpeg.server";
import type { Probe } from "../probe/probe.server";
import { EncodeError, runFfmpeg, type Task } from "./task.server";

/** A part of a film, in seconds. */
export interface Part {
  start: number;
  seconds: number;
}

/** The rule of the hover preview (specification, section 9). */
const START_SECONDS = 25;
const CLIP_SECONDS = 8;
const MOMENTS = 4;
const MOMENT_SECONDS = CLIP_SECONDS / MOMENTS;
/** What comes behind is taken for credits. */
const CREDITS_FROM = 0.9;
/** Each of the later moments is looked for in so much of the film, in the middle of its third. */
const SECTION_SECONDS = 6;
const LEAST_SECTION_SECONDS = 4;

const RATE = 5;
const [WIDTH, HEIGHT] = [32, 18];
const PIXELS = WIDTH * HEIGHT;
/** Of 255: pictures below are black, and writing on black. */
const LEAST_MEAN = 28;
/** Standard deviation of the brightness: below it there is nothing to see. */
const LEAST_CONTRAST = 10;
const MOST_CONTRAST = 60;
/** Mean difference between two pictures 0.2 s apart: above it another scene has begun. */
const CUT = 24;
const CUT_WEIGHT = 30;
const UNFIT_WEIGHT = 1_000;

/** The clip in one piece: from 25 s on, or so that its middle is the middle of a short film. */
export function onePart(durationSeconds: number): Part {
  const isLong = durationSeconds >= START_SECONDS + CLIP_SECONDS;
  const start = isLong ? START_SECONDS : Math.max(0, (durationSeconds - CLIP_SECONDS) / 2);
  return { start, seconds: CLIP_SECONDS };
}

/** Where the moments behind the first are looked for; none in a film that is too short for that. */
export function sectionsOf(durationSeconds: number): Part[] {
  const from = START_SECONDS + MOMENT_SECONDS;
  const third = (durationSeconds * CREDITS_FROM - from) / (MOMENTS - 1);
  if (third < LEAST_SECTION_SECONDS) return [];
  const seconds = Math.min(SECTION_SECONDS, third);
  return Array.from({ length: MOMENTS - 1 }, (_, index) => ({
    start: from + third * index + (third - seconds) / 2,
    seconds,
  }));
}

/**
 * The moments that a clip is put together from: the first is where the specification begins, the others
 * show what else there is. One part of a film that is short, or where no others can be read.
 */
export async function previewMoments(file: string, probe: Probe, task: Task): Promise<Part[]> {
  const { durationSeconds } = probe;
  const sections = sectionsOf(durationSeconds);
  if (sections.length === 0) return [onePart(durationSeconds)];
  try {
    const found = await readSections(file, probe, sections, task);
    const first = { start: START_SECONDS, seconds: MOMENT_SECONDS };
    const others = sections.map(({ start }, index) => ({
      start: start + bestStart(found[index]!),
      seconds: MOMENT_SECONDS,
    }));
    return [first, ...others];
  } catch (error) {
    if (!(error instanceof EncodeError)) throw error;
    return [onePart(durationSeconds)];
  }
}

/** The pictures of each section, tiny and grey, five a second, one behind the other. */
async function readSections(
  file: string,
  { video }: Probe,
  sections: readonly Part[],
  task: Task,
): Promise<Buffer[]> {
  const names = sections.map((_, index) => `section-${index}.gray`);
  const filters = `fps=${RATE}:start_time=0,scale=${WIDTH}:${HEIGHT}:flags=area,format=gray`;
  const inputs = sections.flatMap(({ start, seconds }) => [
    ...["-ss", start.toFixed(3), "-t", seconds.toFixed(3), "-threads", "1"],
    ...inputArguments(file),
  ]);
  const outputs = names.flatMap((name, input) => [
    ...["-map", `${input}:${video.index}`, "-an", "-sn", "-vf", filters, "-f", "rawvideo", name],
  ]);
  const limits = { fileBytes: 1024 ** 2, cpuSeconds: 600 };
  const seconds = SECTION_SECONDS * sections.length;
  await runFfmpeg(task, [...inputs, ...outputs], { ...limits, seconds, silent: true });
  const found: Buffer[] = [];
  for (const name of names) {
    const pictures = path.join(task.folder, name);
    found.push(await readFile(pictures));
    await rm(pictures);
  }
  return found;
}

/**
 * Where in a section two seconds show most: nothing black or empty in them, rather the beginning of a
 * scene than its end, and no other scene within.
 *
 * @param pictures of 32 by 18 pixels of one byte, five a second.
 * @returns seconds from the beginning of the section.
 */
export function bestStart(pictures: Uint8Array): number {
  const count = Math.floor(pictures.length / PIXELS);
  const at = (index: number) => pictures.subarray(index * PIXELS, (index + 1) * PIXELS);
  const seen = Array.from({ length: count }, (_, index) => ({
    ...lightOf(at(index)),
    change: index > 0 ? difference(at(index - 1), at(index)) : 0,
  }));
  const length = MOMENT_SECONDS * RATE;
  let best = { start: 0, score: Number.NEGATIVE_INFINITY };
  for (let start = 0; start + length <= count; start++) {
    const [first, ...rest] = seen.slice(start, start + length);
    const moment = [first!, ...rest];
    const unfit = moment.filter(
      ({ mean, contrast }) => mean < LEAST_MEAN || contrast < LEAST_CONTRAST,
    ).length;
    const cuts = rest.filter(({ change }) => change > CUT).length;
    const contrast = moment.reduce((sum, each) => sum + each.contrast, 0) / length;
    const score =
      Math.min(MOST_CONTRAST, contrast) +
      (first!.change > CUT ? CUT_WEIGHT : 0) -
      cuts * CUT_WEIGHT -
      unfit * UNFIT_WEIGHT;
    if (score > best.score) best = { start, score };
  }
  return best.start / RATE;
}

function lightOf(picture: Uint8Array): { mean: number; contrast: number } {
  let sum = 0;
  let squares = 0;
  for (const value of picture) {
    sum += value;
    squares += value * value;
  }
  const mean = sum / PIXELS;
  return { mean, contrast: Math.sqrt(Math.max(0, squares / PIXELS - mean * mean)) };
}

function difference(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < PIXELS; at++) sum += Math.abs(a[at]! - b[at]!);
  return sum / PIXELS;
}
