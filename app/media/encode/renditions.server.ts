import { settings } from "~/platform/settings.server";
import type { Probe } from "../probe/probe.server";
import type { VideoStream } from "../probe/streams";
import type { Rate } from "./filters.server";

/** One quality of the ladder. */
export interface Rendition {
  /** By its shorter side, such as `720p`; names its files. */
  name: string;
  width: number;
  height: number;
  /** Every picture, or every second one of a video with more than 30 a second. */
  everySecond: boolean;
  /** Bits a second that the picture may take at its busiest. */
  maxBitrate: number;
  /** For a line so poor that the sound has to be poor too. */
  forSlowConnections: boolean;
}

/** Wherever one seeks to, at most so much before it has to be decoded. */
const KEYFRAME_SECONDS = 2;

/** By the shorter side, so that a portrait video has the same qualities. */
const STEPS = [
  { side: 240, bitrate: 400_000 },
  { side: 360, bitrate: 800_000 },
  { side: 480, bitrate: 1_400_000 },
  { side: 720, bitrate: 2_800_000 },
  { side: 1080, bitrate: 5_000_000 },
  { side: 2160, bitrate: 14_000_000 },
] as const;
/** Below them: at its busiest, with the poor sound (sounds.ts), it stays under 192 kbit/s. */
const LOW_BANDWIDTH_STEP = { side: 144, bitrate: 75_000 };

/** What moves twice as often takes this much more. */
const SMOOTH_FACTOR = 1.5;
/** From here on all pictures of a video of 60 a second are kept, and in the largest rendition. */
const SMOOTH_FROM_SIDE = 720;
/** A video this much larger than the step below it has that step besides its own size. */
const OWN_STEP_FACTOR = 1.15;

/**
 * The qualities made from a video, smallest first, at least one. The largest has the size and the rate
 * of the video, up to the limit.
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
  if (side > LOW_BANDWIDTH_STEP.side * OWN_STEP_FACTOR) steps.unshift(LOW_BANDWIDTH_STEP);
  return steps.map((step) => {
    const everySecond = smooth && step.side < SMOOTH_FROM_SIDE && step.side !== side;
    const factor = smooth && !everySecond ? SMOOTH_FACTOR : 1;
    return {
      name: `${step.side}p`,
      ...fit(video, step.side),
      everySecond,
      maxBitrate: Math.round(step.bitrate * factor),
      forSlowConnections: step === LOW_BANDWIDTH_STEP,
    };
  });
}

/** Width and height, both even, with the shorter one as asked and the video's own proportions. */
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
 * The steady rate that a video is shown at: its own when it is a usual or a low one, the next usual
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

/** The qualities of a stream of a video, within the operator's limit. */
export function streamRenditions({ video }: Probe): Rendition[] {
  return renditionsFor(video, settings().encoderMaxHeight);
}
