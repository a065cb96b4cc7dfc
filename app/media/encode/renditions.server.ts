import { settings } from "~/platform/settings.server";
import type { Probe } from "../probe/probe.server";
import type { VideoStream } from "../probe/streams";
import type { Rate } from "./filters.server";

/** A video rendition in the ladder. */
export interface Rendition {
  /** The name, derived from the shorter side, such as `720p`; also the base name of the rendition's files. */
  name: string;
  width: number;
  height: number;
  /** Whether the rendition keeps only every other frame of a video with more than 30 frames per second. */
  hasHalfFrameRate: boolean;
  /** The maximum video bitrate, in bits per second. */
  maxBitrate: number;
  /** Whether the rendition is meant for connections so slow that the audio bitrate has to be low too. */
  forSlowConnections: boolean;
}

/** The maximum keyframe interval, which limits how much has to be decoded after seeking. */
const KEYFRAME_SECONDS = 2;

/** The ladder's steps, by the shorter side, so that portrait videos use the same steps. */
const STEPS = [
  { side: 240, bitrate: 400_000 },
  { side: 360, bitrate: 800_000 },
  { side: 480, bitrate: 1_400_000 },
  { side: 720, bitrate: 2_800_000 },
  { side: 1080, bitrate: 5_000_000 },
  { side: 2160, bitrate: 14_000_000 },
] as const;
/** The lowest step. Its peak bitrate, including the low-bitrate audio (audio-renditions.ts), is below 192 kbit/s. */
const LOW_BANDWIDTH_STEP = { side: 144, bitrate: 75_000 };

/** The factor by which the bitrate increases when the frame rate doubles. */
const HIGH_FRAME_RATE_FACTOR = 1.5;
/** Renditions of at least this size, and the largest one, keep all frames of a 60 fps video. */
const HIGH_FRAME_RATE_MIN_SIDE = 720;
/**
 * If a video is larger than a step by at least this factor, it gets a rendition for that step in addition to one in its
 * original size.
 */
const OWN_STEP_FACTOR = 1.15;

/**
 * Returns the video renditions for a video, smallest first, at least one. The largest has the video's size, up to the
 * limit, and its frame rate.
 */
export function renditionsFor(video: VideoStream, maxHeight: number): Rendition[] {
  const side = Math.min(Math.min(video.width, video.height), maxHeight);
  const isHighFrameRate = video.frameRate > 31;
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
    const hasHalfFrameRate =
      isHighFrameRate && step.side < HIGH_FRAME_RATE_MIN_SIDE && step.side !== side;
    const factor = isHighFrameRate && !hasHalfFrameRate ? HIGH_FRAME_RATE_FACTOR : 1;
    return {
      name: `${step.side}p`,
      ...fit(video, step.side),
      hasHalfFrameRate,
      maxBitrate: Math.round(step.bitrate * factor),
      forSlowConnections: step === LOW_BANDWIDTH_STEP,
    };
  });
}

/** Returns an even width and height with the given shorter side and the video's aspect ratio, without upscaling. */
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
 * Returns the constant frame rate for encoding a video: its rate if that is a standard one, its rate rounded up if it
 * is low, otherwise the next higher standard rate, at most 60.
 */
export function constantFrameRate(framesPerSecond: number): Rate {
  const value = (rate: Rate) => rate.numerator / rate.denominator;
  const usual = USUAL_RATES.find((rate) => Math.abs(value(rate) / framesPerSecond - 1) < 0.0004);
  if (usual) return usual;
  if (framesPerSecond < 23) {
    return { numerator: Math.max(5, Math.ceil(framesPerSecond)), denominator: 1 };
  }
  return USUAL_RATES.find((rate) => value(rate) > framesPerSecond * 0.99) ?? USUAL_RATES.at(-1)!;
}

/** Returns a rendition's frame rate. */
export function rateOf(
  rendition: Pick<Rendition, "hasHalfFrameRate">,
  { numerator, denominator }: Rate,
): Rate {
  return { numerator, denominator: denominator * (rendition.hasHalfFrameRate ? 2 : 1) };
}

/**
 * Returns the number of frames between keyframes. It is calculated for the ladder's lowest frame rate and doubled for
 * the others, so that the segments of all renditions begin with the same frame.
 */
export function keyframeInterval(
  rendition: Pick<Rendition, "hasHalfFrameRate">,
  rate: Rate,
): number {
  const isHighFrameRate = rate.numerator / rate.denominator > 31;
  const lowest = rateOf({ hasHalfFrameRate: isHighFrameRate }, rate);
  const frames = Math.round((KEYFRAME_SECONDS * lowest.numerator) / lowest.denominator);
  return isHighFrameRate && !rendition.hasHalfFrameRate ? frames * 2 : frames;
}

/** Returns the video renditions for a stream, within the configured limit. */
export function streamRenditions({ video }: Probe): Rendition[] {
  return renditionsFor(video, settings().encoderMaxHeight);
}
