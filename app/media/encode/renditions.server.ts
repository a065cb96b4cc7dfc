import { settings } from "~/platform/settings.server";
import { InterruptedError, inputArguments } from "../probe/ffmpeg.server";
import { type Probe, timestampsJump } from "../probe/probe.server";
import type { VideoStream } from "../probe/streams";
import { TUNE } from "./encoders.server";
import { pictureFilters, type Rate } from "./filters.server";
import { EncodeError, runFfmpeg, type Task } from "./task.server";

/** One quality of the ladder. */
export interface Rendition {
  /** By its shorter side, such as `720p`; names its files. */
  name: string;
  width: number;
  height: number;
  /** Every picture, or every second one of a film with more than 30 a second. */
  everySecond: boolean;
  /** Bits a second that the picture may take at its busiest. */
  maxBitrate: number;
  /** x264's quality, lower is better. */
  crf: number;
  /** For a line so poor that the sound has to be poor too. */
  forPoorLines: boolean;
}

/** Wherever one seeks to, at most so much before it has to be decoded. */
const KEYFRAME_SECONDS = 2;

/** Of x264, where nothing is known of what a film shows. */
const QUALITY = 23;

/** By the shorter side, so that a portrait film has the same qualities. */
const STEPS = [
  { side: 240, bitrate: 400_000 },
  { side: 360, bitrate: 800_000 },
  { side: 480, bitrate: 1_400_000 },
  { side: 720, bitrate: 2_800_000 },
  { side: 1080, bitrate: 5_000_000 },
  { side: 2160, bitrate: 14_000_000 },
] as const;
/** Below them: at its busiest, with the poor sound (sounds.ts), it stays under 192 kbit/s. */
const POOR_STEP = { side: 144, bitrate: 75_000 };

/** What moves twice as often takes this much more. */
const SMOOTH_FACTOR = 1.5;
/** From here on all pictures of a film of 60 a second are kept, and in the largest rendition. */
const SMOOTH_FROM_SIDE = 720;
/** A film this much larger than the step below it has that step besides its own size. */
const OWN_STEP_FACTOR = 1.15;

/**
 * The qualities made from a film, smallest first, at least one. The largest has the size and the rate
 * of the film, up to the limit.
 */
export function renditionsFor(video: VideoStream, maxHeight: number): Rendition[] {
  const side = Math.min(Math.min(video.width, video.height), maxHeight);
  const smooth = video.frameRate > 31;
  const steps: { side: number; bitrate: number }[] = STEPS.filter((step) => step.side <= side);
  if (steps.at(-1)?.side !== side) {
    const next = STEPS.find((step) => step.side > side);
    const bitrate = next ? (next.bitrate * side ** 2) / next.side ** 2 : STEPS.at(-1)!.bitrate;
    const own = { side, bitrate: Math.max(bitrate, 200_000) };
    if (steps.length > 0 && side <= steps.at(-1)!.side * OWN_STEP_FACTOR) steps.pop();
    steps.push(own);
  }
  if (side > POOR_STEP.side * OWN_STEP_FACTOR) steps.unshift(POOR_STEP);
  return steps.map((step) => {
    const everySecond = smooth && step.side < SMOOTH_FROM_SIDE && step.side !== side;
    const factor = smooth && !everySecond ? SMOOTH_FACTOR : 1;
    return {
      name: `${step.side}p`,
      ...fit(video, step.side),
      everySecond,
      maxBitrate: Math.round(step.bitrate * factor),
      crf: QUALITY,
      forPoorLines: step === POOR_STEP,
    };
  });
}

/** Width and height, both even, with the shorter one as asked and the film's own proportions. */
export function fit({ width, height }: { width: number; height: number }, side: number) {
  const scale = Math.min(1, side / Math.min(width, height));
  const even = (value: number) => Math.max(2, 2 * Math.round((value * scale) / 2));
  return { width: even(width), height: even(height) };
}

const USUAL_RATES: Rate[] = [
  { numerator: 24_000, denominator: 1_001 },
  { numerator: 24, denominator: 1 },
  { numerator: 25, denominator: 1 },
  { numerator: 30_000, denominator: 1_001 },
  { numerator: 30, denominator: 1 },
  { numerator: 48, denominator: 1 },
  { numerator: 50, denominator: 1 },
  { numerator: 60_000, denominator: 1_001 },
  { numerator: 60, denominator: 1 },
];

/**
 * The steady rate that a film is shown at: its own when it is a usual or a low one, the next usual
 * one above a varying one, 60 at the most.
 */
export function steadyRate(framesPerSecond: number): Rate {
  const value = (rate: Rate) => rate.numerator / rate.denominator;
  const usual = USUAL_RATES.find((rate) => Math.abs(value(rate) / framesPerSecond - 1) < 0.0004);
  if (usual) return usual;
  if (framesPerSecond < 23) {
    return { numerator: Math.max(5, Math.ceil(framesPerSecond)), denominator: 1 };
  }
  return USUAL_RATES.find((rate) => value(rate) > framesPerSecond * 0.99) ?? USUAL_RATES.at(-1)!;
}

/** The rate of a rendition. */
export function rateOf(
  rendition: Pick<Rendition, "everySecond">,
  { numerator, denominator }: Rate,
): Rate {
  return { numerator, denominator: denominator * (rendition.everySecond ? 2 : 1) };
}

/**
 * Pictures from one keyframe to the next. Counted in the slowest rendition's pictures and doubled for the
 * others, so that the segments of all renditions begin with the same picture.
 */
export function keyframeEvery(rendition: Pick<Rendition, "everySecond">, rate: Rate): number {
  const smooth = rate.numerator / rate.denominator > 31;
  const slow = rateOf({ everySecond: smooth }, rate);
  const pictures = Math.round((KEYFRAME_SECONDS * slow.numerator) / slow.denominator);
  return smooth && !rendition.everySecond ? pictures * 2 : pictures;
}

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
