import type { CutOff } from "~/shared/cut-off";
import { inputSize, openInput } from "../storage/ranged-input.server";
import { inputArguments, type Limits, run, runLines } from "./ffmpeg.server";
import type { Mp4Layout } from "./mp4-boxes.server";

/** What ffprobe reports about a file's duration, in seconds. Fields that the file doesn't specify are omitted. */
export interface DurationHints {
  container: { format_name: string; start_time?: number; duration?: number };
  video: { index: number; start_time?: number; duration?: number; has_b_frames?: number };
  /** The indices of the audio streams. */
  audio: readonly number[];
  /** The number of frames per second. */
  frameRate: number;
  /** The layout of the boxes; set only for MP4 and MOV. */
  layout: Mp4Layout | undefined;
}

export interface VideoLength {
  /** The number of seconds from the beginning of the video to the end of the last frame in the file. */
  seconds: number;
  /** The duration in seconds according to the header; set only if the file ends before that. */
  announcedSeconds?: number;
  /** Set if timestamps jump; see inputArguments(). */
  dtsDeltaThreshold?: number;
}

const TAIL_LIMITS = { seconds: 20, cpuSeconds: 20 };
/** A position after the end of any video, so that ffprobe seeks to the last keyframe. */
const PAST_THE_END = "999999%";
/**
 * The minimum share of the header's duration that a complete file contains. It allows for rounding, and for audio that
 * ends after the video.
 */
const MIN_COMPLETE_SHARE = 0.95;

/**
 * Containers whose header contains the duration. For other containers, ffmpeg reports the duration that it has
 * determined itself.
 */
const STATES_DURATION = /^(mov|matroska|flv|mxf)/;

/** Whether the file contains less than 95% of the duration in its header. */
export function isCutOff(length: VideoLength): length is CutOff {
  const { seconds, announcedSeconds } = length;
  return announcedSeconds !== undefined && seconds < announcedSeconds * MIN_COMPLETE_SHARE;
}

/**
 * Returns the duration of a video: from the start of the file to the end of the last frame. The index of a complete MP4
 * contains the duration. For any other file, the last packets are read, or all packets if the last ones can't be found.
 * The duration in a header is only a hint: it may be the duration of the longest stream or of a file that was meant to
 * be longer, or a guess.
 *
 * @param tailOnly estimates the duration from the end of a file whose timestamps may jump.
 */
export async function videoLength(
  file: string,
  hints: DurationHints,
  { tailOnly = false } = {},
): Promise<VideoLength> {
  const { container, video, layout, frameRate } = hints;
  const start = container.start_time ?? video.start_time ?? 0;
  // If there are several edits, ffprobe reports at most the duration of the media that the edits repeat.
  if (layout?.isWhole && layout.isCopyable && !layout.isFragmented && video.duration) {
    return { seconds: (video.start_time ?? start) + video.duration - start };
  }
  // In a program stream, frames without a presentation timestamp are displayed this long after they are decoded.
  const frameDelay = container.format_name === "mpeg" ? (video.has_b_frames ?? 0) / frameRate : 0;
  if (timestampsMayJump(container.format_name) && !tailOnly) {
    const known = { video: video.index, audio: hints.audio, start, frameRate, frameDelay };
    return measureWithJumps(file, known);
  }
  const tail = await lastTimestamps(file, video.index, frameRate, frameDelay);
  const seconds =
    tail.video === undefined ? await measure(file, [video.index], frameRate) : tail.video - start;
  const present = tail.any === undefined ? seconds : tail.any - start;
  const announced = await announcedLength(file, hints, start, present);
  if (announced === undefined) return { seconds };
  const isCut = layout?.isWhole === false || isCutOff({ seconds: present, ...announced });
  return { seconds, ...(isCut && announced.announcedSeconds > seconds && announced) };
}

/** Returns the timestamps in seconds at which the last video packet and the last packet of any stream end. */
async function lastTimestamps(
  file: string,
  videoIndex: number,
  frameRate: number,
  frameDelay: number,
): Promise<{ video?: number; any?: number }> {
  const { stdout, isMaxBuffer } = await run(
    "ffprobe",
    [
      ...["-v", "error", "-read_intervals", PAST_THE_END, "-of", "csv=p=0"],
      ...["-show_entries", "packet=stream_index,pts_time,dts_time,duration_time"],
      ...inputArguments(file),
    ],
    TAIL_LIMITS,
  );
  const ends: { video?: number; any?: number } = {};
  // The last frames in a program stream have no timestamps.
  let untimed = 0;
  // ffprobe's output was truncated, so its end is missing.
  if (isMaxBuffer) return ends;
  for (const line of stdout.split("\n")) {
    const [index, shown, decoded, lasts] = line.split(",").map(Number);
    const delay = index === videoIndex ? frameDelay : 0;
    const time = Number.isFinite(shown) || decoded === undefined ? shown : decoded + delay;
    if (index === videoIndex) untimed = Number.isFinite(time) ? 0 : untimed + 1;
    if (index === undefined || time === undefined || !Number.isFinite(time)) continue;
    const end = time + (lasts && lasts > 0 ? lasts : index === videoIndex ? 1 / frameRate : 0);
    ends.any = Math.max(ends.any ?? end, end);
    if (index === videoIndex) ends.video = Math.max(ends.video ?? end, end);
  }
  if (ends.video !== undefined) ends.video += untimed / frameRate;
  return ends;
}

async function announcedLength(
  file: string,
  { container, video }: DurationHints,
  start: number,
  present: number,
): Promise<{ announcedSeconds: number } | undefined> {
  const bytes = await announcedBytes(file);
  if (bytes) return { announcedSeconds: present * bytes };
  if (!STATES_DURATION.test(container.format_name)) return undefined;
  const seconds = (container.format_name.startsWith("mov") && video.duration) || container.duration;
  if (!seconds) return undefined;
  // Some Matroska muxers write the duration; others write the end timestamp.
  return { announcedSeconds: start > 1 && seconds > start ? seconds - start : seconds };
}

/** ASF's File Properties Object (Advanced Systems Format §3.2), which contains the file size. */
const ASF_PROPERTIES = Buffer.from("a1dcab8c47a9cf118ee400c00c205365", "hex");
const HEAD_BYTES = 4_096;

/**
 * Returns the file size according to an AVI or ASF header, divided by the actual file size; undefined for a complete
 * file.
 */
async function announcedBytes(file: string): Promise<number | undefined> {
  const input = await openInput(file);
  const { size } = input;
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await input.read(head, 0, HEAD_BYTES, 0);
    let announced = 0;
    if (head.toString("latin1", 0, 4) === "RIFF") announced = head.readUInt32LE(4) + 8;
    const at = head.indexOf(ASF_PROPERTIES);
    // The object's id (16 bytes), its size (8) and the file's id (16) precede the file size.
    if (at >= 0 && at + 48 <= bytesRead) announced = Number(head.readBigUInt64LE(at + 40));
    return announced > size && size > 0 ? announced / size : undefined;
  } finally {
    await input.close();
  }
}

/**
 * Containers in which ffmpeg corrects timestamps that restart or jump (AVFMT_TS_DISCONT). Recorders and discs write
 * such timestamps, and files that were appended to each other also contain them and play in sequence.
 */
const MAY_JUMP = ["mpegts", "mpeg", "ogg"];

/** Values for ffmpeg's -dts_delta_threshold, in seconds: its default, and a value for short jumps. */
const DEFAULT_THRESHOLD = 10;
const SHORT_THRESHOLD = 1;
/** Regardless of the threshold, ffmpeg treats a timestamp this far before its predecessor as a jump. */
const BACKWARD_SECONDS = 0.1;
/** How much longer the longest stream may be than the video. */
const MAX_EXCESS_SECONDS = 1;

/** The speed of the slowest disk and processor on which there has to be enough time to read a whole file. */
const MIN_DISK_BYTES_PER_SECOND = 10 * 1024 ** 2;
const MIN_CPU_BYTES_PER_SECOND = 20 * 1024 ** 2;

/** What is known about a file before its duration is measured. */
interface Measured {
  /** The index of the video stream. */
  video: number;
  /** The indices of the audio streams. */
  audio: readonly number[];
  /** The timestamp at which the file begins, in seconds. */
  start: number;
  frameRate: number;
  /** The number of seconds between decoding and displaying a frame, for frames without a presentation timestamp. */
  frameDelay: number;
}

/** Whether timestamps in a container may restart, so that the last timestamp doesn't determine the duration. */
export function timestampsMayJump(formatName: string): boolean {
  return MAY_JUMP.includes(formatName);
}

/**
 * Follows the timestamps of a video from the first packet to the last. They can jump anywhere and look plausible on
 * both sides of a jump, so the whole file is read: 1.5 seconds per GB from the page cache, or 1 second per hour of
 * video at the lowest bitrates.
 *
 * @returns its duration in seconds. `dtsDeltaThreshold` is set if timestamps jump (see inputArguments()).
 * @throws {InterruptedError} if the file can't be read in time.
 */
async function measureWithJumps(
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
      // ffprobe prints an empty line after a packet with side data.
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
  // If frames are missing while the audio continues, that isn't a jump.
  const isHole = Math.abs(usualLongest - backwardOnly.seconds) < MAX_EXCESS_SECONDS;
  if (isHole && !backwardOnly.hasJumped) return { seconds: backwardOnly.seconds };
  // ffmpeg corrects all streams as soon as one of them jumps. The other streams' packets from before the jump then seem
  // to jump ahead, which leaves a gap unless those packets are corrected too.
  const usualExcess = usualLongest - usual.seconds;
  const hasGap =
    usualExcess > MAX_EXCESS_SECONDS &&
    (await longest(short)) - short.seconds < usualExcess - MAX_EXCESS_SECONDS;
  const { seconds, threshold } = hasGap ? short : usual;
  return { seconds, dtsDeltaThreshold: threshold };
}

/** Corrects one stream's timestamps in the same way as ffmpeg does while decoding. Times are in seconds. */
class ContinuousClock {
  hasJumped = false;
  private offset = 0;
  private decoded = Number.NEGATIVE_INFINITY;
  private next: number | undefined;
  private end: number;
  /**
   * The number of frames since the last one with a timestamp. The last frames in a program stream have no timestamps.
   */
  private untimed = 0;

  constructor(
    private readonly measured: Measured,
    readonly threshold: number,
  ) {
    this.end = measured.start;
  }

  /** Adds the next packet. Missing values are NaN. */
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
 * @returns the number of seconds until the end of the longest stream.
 */
async function measure(
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
  const frames = [...stdout.matchAll(/^frame=\s*(\d+)$/gm)];
  if (Number(frames.at(-1)?.[1] ?? 0) === 0) return 0;
  // ffmpeg reports the time at which the last frame begins.
  return Number(times.at(-1)?.[1] ?? 0) / 1_000_000 + 1 / frameRate;
}

async function readLimits(file: string): Promise<Limits> {
  const size = await inputSize(file);
  return {
    seconds: 120 + size / MIN_DISK_BYTES_PER_SECOND,
    cpuSeconds: 60 + size / MIN_CPU_BYTES_PER_SECOND,
  };
}
