import type { CutOff } from "~/shared/cut-off";
import { inputSize, openInput } from "../storage/ranged-input.server";
import { inputArguments, type Limits, run, runLines } from "./ffmpeg.server";
import type { Mp4Layout } from "./mp4-boxes.server";

/** What a file says about the length of its video, as ffprobe reports it: seconds, where it does. */
export interface SaidLength {
  container: { format_name: string; start_time?: number; duration?: number };
  picture: { index: number; start_time?: number; duration?: number; has_b_frames?: number };
  /** Indices of the audio streams. */
  audio: readonly number[];
  /** Pictures a second. */
  frameRate: number;
  /** Of an MP4 or MOV. */
  layout: Mp4Layout | undefined;
}

export interface VideoLength {
  /** Seconds from the beginning of the video to the end of its last picture that is there. */
  seconds: number;
  /** Seconds that the header announces, where the file ends before that. */
  announcedSeconds?: number;
  /** Set if timestamps jump, see inputArguments(). */
  dtsDeltaThreshold?: number;
}

const TAIL_LIMITS = { seconds: 20, cpuSeconds: 20 };
/** Later than any video, so that ffprobe goes to the last keyframe there is. */
const BEHIND_THE_END = "999999%";
/** What rounding, and sound that ends later, may make of the length in a header. */
const WHOLE_SHARE = 0.95;

/** Whose header says how long the video is; of the others ffmpeg reports what it has found in them. */
const ANNOUNCING = /^(mov|matroska|flv|mxf)/;

/** Whether less than 95 % of the announced video is there. */
export function isCutOff(length: VideoLength): length is CutOff {
  const { seconds, announcedSeconds } = length;
  return announcedSeconds !== undefined && seconds < announcedSeconds * WHOLE_SHARE;
}

/**
 * How long a video is: its pictures, from the first moment of the file on. The index of a whole MP4
 * tells that; of any other file the last packets are read, and all of them where these can't be
 * found. The length in a header is that of the longest of its streams, of the bytes that were meant
 * to follow, or a guess, so it only announces.
 *
 * @param tailOnly estimates the duration from the end of a file in which timestamps may jump.
 */
export async function videoLength(
  file: string,
  said: SaidLength,
  { tailOnly = false } = {},
): Promise<VideoLength> {
  const { container, picture, layout, frameRate } = said;
  const start = container.start_time ?? picture.start_time ?? 0;
  // With several edits, ffprobe reports at most the length of the media that they repeat.
  if (layout?.isWhole && layout.isCopyable && !layout.isFragmented && picture.duration) {
    return { seconds: (picture.start_time ?? start) + picture.duration - start };
  }
  // Pictures of a program stream without a time are shown so much later than they are decoded.
  const pictureDelay =
    container.format_name === "mpeg" ? (picture.has_b_frames ?? 0) / frameRate : 0;
  if (timestampsMayJump(container.format_name) && !tailOnly) {
    const { index: video } = picture;
    const known = { video, audio: said.audio, start, frameRate, frameDelay: pictureDelay };
    return measureWithJumps(file, known);
  }
  const tail = await lastTimestamps(file, picture.index, frameRate, pictureDelay);
  const seconds =
    tail.picture === undefined
      ? await measure(file, [picture.index], frameRate)
      : tail.picture - start;
  const present = tail.any === undefined ? seconds : tail.any - start;
  const announced = await announcedLength(file, said, start, present);
  if (announced === undefined) return { seconds };
  const isCut = layout?.isWhole === false || isCutOff({ seconds: present, ...announced });
  return { seconds, ...(isCut && announced.announcedSeconds > seconds && announced) };
}

/** Seconds on the clock of the file at which the last packet ends, of the picture and of any stream. */
async function lastTimestamps(
  file: string,
  picture: number,
  frameRate: number,
  pictureDelay: number,
): Promise<{ picture?: number; any?: number }> {
  const { stdout, isMaxBuffer } = await run(
    "ffprobe",
    [
      ...["-v", "error", "-read_intervals", BEHIND_THE_END, "-of", "csv=p=0"],
      ...["-show_entries", "packet=stream_index,pts_time,dts_time,duration_time"],
      ...inputArguments(file),
    ],
    TAIL_LIMITS,
  );
  const ends: { picture?: number; any?: number } = {};
  // The last pictures of a program stream have no time of their own.
  let untimed = 0;
  // More than is kept: the end of it is missing.
  if (isMaxBuffer) return ends;
  for (const line of stdout.split("\n")) {
    const [index, shown, decoded, lasts] = line.split(",").map(Number);
    const delay = index === picture ? pictureDelay : 0;
    const time = Number.isFinite(shown) || decoded === undefined ? shown : decoded + delay;
    if (index === picture) untimed = Number.isFinite(time) ? 0 : untimed + 1;
    if (index === undefined || time === undefined || !Number.isFinite(time)) continue;
    const end = time + (lasts && lasts > 0 ? lasts : index === picture ? 1 / frameRate : 0);
    ends.any = Math.max(ends.any ?? end, end);
    if (index === picture) ends.picture = Math.max(ends.picture ?? end, end);
  }
  if (ends.picture !== undefined) ends.picture += untimed / frameRate;
  return ends;
}

async function announcedLength(
  file: string,
  { container, picture }: SaidLength,
  start: number,
  present: number,
): Promise<{ announcedSeconds: number } | undefined> {
  const bytes = await announcedBytes(file);
  if (bytes) return { announcedSeconds: present * bytes };
  if (!ANNOUNCING.test(container.format_name)) return undefined;
  const said = (container.format_name.startsWith("mov") && picture.duration) || container.duration;
  if (!said) return undefined;
  // Some writers of Matroska say the length, others the time at which it ends.
  return { announcedSeconds: start > 1 && said > start ? said - start : said };
}

/** File Properties Object of ASF (Advanced Systems Format §3.2), which holds the size of the file. */
const ASF_PROPERTIES = Buffer.from("a1dcab8c47a9cf118ee400c00c205365", "hex");
const HEAD_BYTES = 4_096;

/** How many times as large as it is an AVI or ASF says that it is; undefined when it is whole. */
async function announcedBytes(file: string): Promise<number | undefined> {
  const input = await openInput(file);
  const { size } = input;
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await input.read(head, 0, HEAD_BYTES, 0);
    let said = 0;
    if (head.toString("latin1", 0, 4) === "RIFF") said = head.readUInt32LE(4) + 8;
    const at = head.indexOf(ASF_PROPERTIES);
    // Behind its name: its own size, the id of the file, and then this.
    if (at >= 0 && at + 48 <= bytesRead) said = Number(head.readBigUInt64LE(at + 40));
    return said > size && size > 0 ? said / size : undefined;
  } finally {
    await input.close();
  }
}

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
interface Measured {
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
