import { inputSize } from "../storage/ranged-input.server";
import { inputArguments, type Limits, run, runLines } from "./ffmpeg.server";

/**
 * Containers in which ffmpeg corrects timestamps that restart or jump (AVFMT_TS_DISCONT). Recorders and
 * discs write them, and files appended to each other play in sequence.
 */
const MAY_JUMP = ["mpegts", "mpeg", "ogg"];

/** Values of ffmpeg's -dts_delta_threshold, in seconds: its default, and one for short jumps. */
const DEFAULT_THRESHOLD = 10;
const SHORT_THRESHOLD = 1;
/** ffmpeg treats a timestamp this far before its predecessor as a jump, whatever the threshold. */
const BACKWARD_SECONDS = 0.1;
/** By how much the longest stream may last longer than the video. */
const MAX_EXCESS_SECONDS = 1;

/** The slowest disk and processor with which a whole file is read. */
const MIN_DISK_BYTES_PER_SECOND = 10 * 1024 ** 2;
const MIN_CPU_BYTES_PER_SECOND = 20 * 1024 ** 2;

/** What is known of a file before it is measured. */
export interface Measured {
  /** Index of the video stream. */
  video: number;
  /** Indices of the audio streams. */
  audio: readonly number[];
  /** Timestamp at which the file begins, in seconds. */
  start: number;
  frameRate: number;
  /** Seconds from decoding a frame to showing it, for frames without a presentation timestamp. */
  frameDelay: number;
}

/** Whether timestamps in a container may restart, so that the last one doesn't tell the duration. */
export function timestampsMayJump(formatName: string): boolean {
  return MAY_JUMP.includes(formatName);
}

/**
 * Follows the timestamps of a video from the first packet to the last. They can jump anywhere and look
 * plausible on both sides, so the whole file is read: 1.5 seconds per GB that is in memory, or 1 second
 * per hour of video at the lowest bitrates.
 *
 * @returns its duration in seconds; `dtsDeltaThreshold` is set if timestamps jump, see inputArguments().
 * @throws {InterruptedError} when the file can't be read in time.
 */
export async function measureWithJumps(
  file: string,
  measured: Measured,
): Promise<{ seconds: number; dtsDeltaThreshold?: number }> {
  const usual = new ContinuousClock(measured, DEFAULT_THRESHOLD);
  const short = new ContinuousClock(measured, SHORT_THRESHOLD);
  const backwardOnly = new ContinuousClock(measured, Number.POSITIVE_INFINITY);
  await runLines(
    "ffprobe",
    [
      ...["-v", "error", "-select_streams", String(measured.video), "-of", "csv=p=0"],
      ...["-show_entries", "packet=pts_time,dts_time,duration_time", ...inputArguments(file)],
    ],
    await readLimits(file),
    (line) => {
      // Behind a packet with side data.
      if (line === "") return;
      const [pts, dts, duration] = line.split(",").map(Number);
      for (const clock of [usual, short, backwardOnly]) clock.add(pts, dts, duration);
    },
  );
  if (!usual.hasJumped) return { seconds: usual.seconds };
  const streams = [measured.video, ...measured.audio];
  const longest = ({ threshold }: ContinuousClock) =>
    measure(file, streams, measured.frameRate, threshold);
  const usualLongest = await longest(usual);
  // Frames are missing while the audio goes on: that is no jump.
  const isHole = Math.abs(usualLongest - backwardOnly.seconds) < MAX_EXCESS_SECONDS;
  if (isHole && !backwardOnly.hasJumped) return { seconds: backwardOnly.seconds };
  // ffmpeg corrects all streams when the first of them jumps. What another stream still has from before
  // then seems to jump ahead, which leaves a gap unless that is corrected too.
  const usualExcess = usualLongest - usual.seconds;
  const hasGap =
    usualExcess > MAX_EXCESS_SECONDS &&
    (await longest(short)) - short.seconds < usualExcess - MAX_EXCESS_SECONDS;
  const { seconds, threshold } = hasGap ? short : usual;
  return { seconds, dtsDeltaThreshold: threshold };
}

/** Corrects the timestamps of one stream as ffmpeg does when it decodes. Times are in seconds. */
class ContinuousClock {
  hasJumped = false;
  private offset = 0;
  private decoded = Number.NEGATIVE_INFINITY;
  private next: number | undefined;
  private end: number;
  /** Frames since the last one with a timestamp: the last ones of a program stream have none. */
  private untimed = 0;

  constructor(
    private readonly measured: Measured,
    readonly threshold: number,
  ) {
    this.end = measured.start;
  }

  /** Adds the next packet; NaN for what it doesn't say. */
  add(pts = Number.NaN, dts = Number.NaN, duration = Number.NaN): void {
    const lasts = duration > 0 ? duration : 1 / this.measured.frameRate;
    if (Number.isFinite(dts)) this.correct(dts);
    const shown = (Number.isFinite(pts) ? pts : dts + this.measured.frameDelay) + this.offset;
    if (Number.isFinite(shown)) this.end = Math.max(this.end, shown + lasts);
    this.untimed = Number.isFinite(shown) ? 0 : this.untimed + 1;
    if (this.next !== undefined) this.next += lasts;
  }

  get seconds(): number {
    return this.end + this.untimed / this.measured.frameRate - this.measured.start;
  }

  private correct(dts: number): void {
    const next = this.next ?? dts;
    const corrected = dts + this.offset;
    if (corrected < this.decoded - BACKWARD_SECONDS || corrected > next + this.threshold) {
      this.offset = next - dts;
      this.hasJumped = true;
    }
    this.decoded = this.next = dts + this.offset;
  }
}

/**
 * Reads all packets with ffmpeg, which corrects timestamps that jump.
 *
 * @returns seconds to the end of the longest of the streams.
 */
export async function measure(
  file: string,
  streams: readonly number[],
  frameRate: number,
  dtsDeltaThreshold?: number,
): Promise<number> {
  const { stdout } = await run(
    "ffmpeg",
    [
      ...["-v", "error", ...inputArguments(file, { dtsDeltaThreshold })],
      ...streams.flatMap((index) => ["-map", `0:${index}`]),
      ...["-c", "copy", "-f", "null", "-progress", "pipe:1", "-stats_period", "5", "-"],
    ],
    await readLimits(file),
  );
  const times = [...stdout.matchAll(/^out_time_us=(\d+)$/gm)];
  const pictures = [...stdout.matchAll(/^frame=\s*(\d+)$/gm)];
  if (Number(pictures.at(-1)?.[1] ?? 0) === 0) return 0;
  // ffmpeg reports when the last picture begins.
  return Number(times.at(-1)?.[1] ?? 0) / 1_000_000 + 1 / frameRate;
}

async function readLimits(file: string): Promise<Limits> {
  const size = await inputSize(file);
  return {
    seconds: 120 + size / MIN_DISK_BYTES_PER_SECOND,
    cpuSeconds: 60 + size / MIN_CPU_BYTES_PER_SECOND,
  };
}
