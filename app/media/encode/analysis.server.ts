import { settings } from "~/platform/settings.server";
import { InterruptedError, inputArguments } from "../probe/ffmpeg.server";
import { type Probe, timestampsJump } from "../probe/probe.server";
import { TUNE } from "./encoders.server";
import { pictureFilters } from "./filters.server";
import {
  fit,
  QUALITY,
  type Rate,
  type Rendition,
  rateOf,
  renditionsFor,
  steadyRate,
} from "./renditions";
import { EncodeError, runFfmpeg, type Task } from "./task.server";

/**
 * What a film needs, by a few short samples of it: each is encoded small at two qualities, which tells
 * what more bits would bring, and single pictures are scaled to each rendition and back, which tells
 * what more pixels would bring (docs/decisions/2026-11-22-bits-by-content.md).
 */
export interface Analysis {
  /** x264's quality at which one more bit for a pixel brings what `WORTH` says. */
  crf: number;
  /** Bits that a pixel of the samples takes at that quality. */
  bitsPerPixel: number;
  /** Pixels of a picture of the samples. */
  pixels: number;
  /** How like the largest rendition a smaller one is on the same screen, by its name: SSIM, 1 is alike. */
  likeness: ReadonlyMap<string, number>;
}

const SAMPLE_SECONDS = 2;
/** One of each so many seconds of a film, this many at most. */
const SAMPLE_EVERY_SECONDS = 20;
const MOST_SAMPLES = 5;
/** Of the samples; a low size tells the same of a film as a large one. */
const SIDE = 360;
const MOST_RATE = 30;
/** Both sides of the quality that films have without an analysis. */
const QUALITIES = [QUALITY - 2, QUALITY + 4] as const;
/** Ten seconds of 4K in HEVC take 30. */
const MOST_CPU_SECONDS = 120;

/** The SSIM that one more bit for each pixel has to bring: what it does in a usual film at `QUALITY`. */
const WORTH = 0.1;
/** From `QUALITY`, in both directions: samples do not know everything of a film. */
const MOST_STEPS = 4;
/** A rendition that is less than this more like the largest one than the next smaller is left out. */
const LEAST_GAIN = 0.005;
/** At its busiest a film takes at most so much more than its samples, or this part of the usual limit. */
const BUSIEST = 4;
const LEAST_LIMIT = 0.25;

/**
 * Looks at a film before its ladder is made: the same film has the same result.
 *
 * @param renditions smallest first.
 * @returns undefined where it can't be told, such as of a damaged film or a single grey picture.
 */
export async function analyse(
  file: string,
  probe: Probe,
  renditions: readonly Rendition[],
  task: Task,
): Promise<Analysis | undefined> {
  const rate = steadyRate(Math.min(MOST_RATE, probe.video.frameRate));
  const size = fit(probe.video, SIDE);
  const samples = samplesOf(probe.durationSeconds);
  try {
    const lines = await runFfmpeg(
      task,
      analysisArguments({ file, probe, renditions, rate, size, samples }),
      {
        seconds: samples.length * SAMPLE_SECONDS,
        fileBytes: 1024 ** 2,
        cpuSeconds: MOST_CPU_SECONDS,
        silent: true,
      },
    );
    return readAnalysis(lines, { pixels: size.width * size.height, rate });
  } catch (error) {
    // What is wrong with the film, if anything, the ladder finds out itself.
    if (error instanceof EncodeError || error instanceof InterruptedError) return undefined;
    throw error;
  }
}

/** Those of every film of that size. */
export function usualRenditions({ video }: Probe): Rendition[] {
  return renditionsFor(video, settings().encoderMaxHeight);
}

/** Those that a film is worth, or the usual ones where it can't be analysed. */
export async function renditionsByContent(
  file: string,
  probe: Probe,
  task: Task,
): Promise<Rendition[]> {
  const usual = usualRenditions(probe);
  if (timestampsJump(probe)) return usual;
  const analysis = await analyse(file, probe, usual, task);
  return analysis ? byContent(usual, steadyRate(probe.video.frameRate), analysis) : usual;
}

/** Seconds at which the samples begin, spread evenly. */
export function samplesOf(durationSeconds: number): number[] {
  const most = Math.floor(durationSeconds / SAMPLE_EVERY_SECONDS);
  const count = Math.min(MOST_SAMPLES, Math.max(1, most));
  return Array.from({ length: count }, (_, index) =>
    Math.max(0, ((index + 0.5) * durationSeconds) / count - SAMPLE_SECONDS / 2),
  );
}

interface Samples {
  file: string;
  probe: Probe;
  renditions: readonly Rendition[];
  rate: Rate;
  size: { width: number; height: number };
  samples: readonly number[];
}

/** One ffmpeg command, which prints what x264 and the filter `ssim` say and writes nothing. */
function analysisArguments({ file, probe, renditions, rate, size, samples }: Samples): string[] {
  const top = renditions.at(-1)!;
  const smaller = renditions.slice(0, -1);
  const once: Rate = { numerator: 1, denominator: 1 };
  const graph = samples.flatMap((_, index) => [
    `[${index}:${probe.video.index}]split[few${index}][all${index}]`,
    `[all${index}]${pictureFilters(probe.video, size, rate).join(",")}[moving${index}]`,
    `[few${index}]${pictureFilters(probe.video, top, once).join(",")}[still${index}]`,
  ]);
  const joined = (name: string) =>
    `${samples.map((_, index) => `[${name}${index}]`).join("")}concat=n=${samples.length}`;
  graph.push(`${joined("moving")},format=yuv420p,split[high][low]`);
  graph.push(`${joined("still")},split=${2 * smaller.length + 1}[rest]${pairs(smaller.length)}`);
  for (const [index, { name, width, height }] of smaller.entries()) {
    const back = `scale=${width}:${height}:flags=bicubic,scale=${top.width}:${top.height}:flags=bicubic`;
    graph.push(`[from${index}]${back}[back${index}]`);
    graph.push(`[back${index}][ref${index}]ssim@${name}[like${index}]`);
  }
  return [
    ...["-v", "info"],
    ...samples.flatMap((start) => [
      ...["-threads", "1", "-ss", start.toFixed(3), "-t", String(SAMPLE_SECONDS)],
      ...inputArguments(file),
    ]),
    ...["-filter_complex_threads", "1", "-filter_complex", graph.join(";")],
    ...["high", "low"].flatMap((name, index) => [
      ...["-map", `[${name}]`, "-c:v", "libx264", "-preset", "veryfast", "-tune", TUNE],
      ...["-threads", "1", "-crf", String(QUALITIES[index]), "-ssim", "1", "-f", "null", "-"],
    ]),
    ...["rest", ...smaller.map((_, index) => `like${index}`)].flatMap((name) => [
      ...["-map", `[${name}]`, "-f", "null", "-"],
    ]),
  ];
}

const pairs = (count: number) =>
  Array.from({ length: count }, (_, index) => `[from${index}][ref${index}]`).join("");

/** Reads what x264 and the filter `ssim` print at their end. */
export function readAnalysis(
  lines: readonly string[],
  { pixels, rate }: { pixels: number; rate: Rate },
): Analysis | undefined {
  const text = lines.join("\n");
  const numbers = (pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, value]) => Number(value)).sort((a, b) => b - a);
  const perPixel = (kilobits: number) =>
    (kilobits * 1_000 * rate.denominator) / (rate.numerator * pixels);
  // The better quality has more of both.
  const [highBits = 0, lowBits = 0] = numbers(/\bkb\/s:([\d.]+)/g).map(perPixel);
  const [highLoss = 0, lowLoss = 0] = numbers(/\bSSIM Mean Y:([\d.]+)/g).map((ssim) => 1 - ssim);
  const steps = QUALITIES[1] - QUALITIES[0];
  // Both are straight lines in logarithms: what a step of the quality costs, and what it brings.
  const cost = Math.log(highBits / lowBits) / steps;
  const gain = Math.log(lowLoss / highLoss) / steps;
  if (!(cost > 0 && gain > 0) || cost === Infinity || gain === Infinity) return undefined;
  const bits = highBits * Math.exp(-cost * (QUALITY - QUALITIES[0]));
  const loss = highLoss * Math.exp(gain * (QUALITY - QUALITIES[0]));
  const brings = (loss * gain) / (bits * cost);
  const exact = Math.round(Math.log(WORTH / brings) / (cost + gain));
  const step = Math.min(MOST_STEPS, Math.max(-MOST_STEPS, exact));
  const likeness = [...text.matchAll(/\[ssim@(\w+) @ \w+\] SSIM Y:([\d.]+)/g)].map(
    ([, name, ssim]): [string, number] => [name!, Number(ssim)],
  );
  return {
    crf: QUALITY + step,
    bitsPerPixel: bits * Math.exp(-cost * step),
    ...{ pixels, likeness: new Map(likeness) },
  };
}

/**
 * The renditions of a film that are worth their bits, each with a quality and a limit of its own. The
 * smallest, the one that a film begins with, and the largest always stay.
 *
 * @param renditions smallest first.
 */
export function byContent(
  renditions: readonly Rendition[],
  rate: Rate,
  analysis: Analysis,
): Rendition[] {
  const kept: Rendition[] = [];
  let like = 0;
  for (const [index, rendition] of renditions.entries()) {
    const own = analysis.likeness.get(rendition.name) ?? 1;
    const isFirst = kept.every(({ forPoorLines }) => forPoorLines);
    if (!isFirst && index < renditions.length - 1 && own - like < LEAST_GAIN) continue;
    like = own;
    const maxBitrate = limitOf(rendition, rateOf(rendition, rate), analysis);
    kept.push({ ...rendition, crf: analysis.crf, maxBitrate });
  }
  return kept;
}

/** More pixels take more bits, but not as many more: bits grow with their number to the power of 3/4. */
function limitOf(
  { width, height, maxBitrate }: Rendition,
  { numerator, denominator }: Rate,
  { bitsPerPixel, pixels }: Analysis,
): number {
  const grown = pixels * ((width * height) / pixels) ** 0.75;
  const expected = (bitsPerPixel * grown * numerator) / denominator;
  return Math.round(Math.min(maxBitrate, Math.max(maxBitrate * LEAST_LIMIT, expected * BUSIEST)));
}
