import type { CutOff } from "~/shared/cut-off";
import { openInput } from "../storage/ranged-input.server";
import { inputArguments, run } from "./ffmpeg.server";
import { measure, measureWithJumps, timestampsMayJump } from "./measure.server";
import type { Mp4Layout } from "./mp4-boxes.server";

/** What a file says about the length of its film, as ffprobe reports it: seconds, where it does. */
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

export interface FilmLength {
  /** Seconds from the beginning of the film to the end of its last picture that is there. */
  seconds: number;
  /** Seconds that the header announces, where the file ends before that. */
  announcedSeconds?: number;
  /** Set if timestamps jump, see inputArguments(). */
  dtsDeltaThreshold?: number;
}

const TAIL_LIMITS = { seconds: 20, cpuSeconds: 20 };
/** Later than any film, so that ffprobe goes to the last keyframe there is. */
const BEHIND_THE_END = "999999%";
/** What rounding, and sound that ends later, may make of the length in a header. */
const WHOLE_SHARE = 0.95;

/** Whose header says how long the film is; of the others ffmpeg reports what it has found in them. */
const ANNOUNCING = /^(mov|matroska|flv|mxf)/;

/** Whether less than 95 % of the announced film is there. */
export function isCutOff(length: FilmLength): length is CutOff {
  const { seconds, announcedSeconds } = length;
  return announcedSeconds !== undefined && seconds < announcedSeconds * WHOLE_SHARE;
}

/**
 * How long a film is: its pictures, from the first moment of the file on. The index of a whole MP4
 * tells that; of any other file the last packets are read, and all of them where these can't be
 * found. The length in a header is that of the longest of its streams, of the bytes that were meant
 * to follow, or a guess, so it only announces.
 *
 * @param tailOnly estimates the duration from the end of a file in which timestamps may jump.
 */
export async function filmLength(
  file: string,
  said: SaidLength,
  { tailOnly = false } = {},
): Promise<FilmLength> {
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
  const tail = await lastMoments(file, picture.index, frameRate, pictureDelay);
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
async function lastMoments(
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
