import { stat } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { CutOff } from "~/shared/cut-off";
import { EMPTY_FILE } from "~/shared/file-rules";
import { processState } from "~db/runtime.server";
import { inputSize, inputUrl } from "../storage/ranged-input.server";
import {
  ffmpegAvailable,
  InterruptedError,
  inputArguments,
  MAX_STREAMS,
  run,
} from "./ffmpeg.server";
import {
  isCutOff,
  type SaidLength,
  timestampsMayJump,
  type VideoLength,
  videoLength,
} from "./length.server";
import { readMp4Layout } from "./mp4-boxes.server";
import {
  type AudioStream,
  describeAudio,
  describeSounds,
  describeSubtitles,
  describeVideo,
  isPicture,
  isPlayable,
  isSound,
  largest,
  number,
  preferred,
  type SoundStream,
  type Stream,
  type SubtitleStream,
  streamSchema,
  type VideoStream,
} from "./streams";

const PROBE_LIMITS = { seconds: 20, cpuSeconds: 20 };

/** 8K, in either direction. */
const MAX_SIDE = 8_192;
const MAX_PIXELS = MAX_SIDE * 4_352;
const MIN_SIDE = 16;
const MAX_DURATION_SECONDS = 24 * 3_600;

/** What ffprobe found in a file. */
export interface Probe {
  /** `mp4`, `mov`, `webm`, `matroska`, or ffprobe's name, such as `avi`. */
  container: string;
  /** Of the pictures that are there, from the first moment of the file on. */
  durationSeconds: number;
  /** What the header announces, where the file ends before that. */
  announcedSeconds?: number;
  /** The file was too large to measure: its duration is that of its last timestamp, if none jumped. */
  isEstimated?: boolean;
  /**
   * Set if timestamps restart or jump inside the file, which then can't be searched by time; see
   * inputArguments().
   */
  dtsDeltaThreshold?: number;
  /** Less than 95 % of the announced video is there. */
  cutOff?: CutOff;
  video: VideoStream;
  /** The sound that is played unless another is chosen. */
  audio?: AudioStream;
  /** All of them, that one first. */
  sounds: SoundStream[];
  /** Those that are text; pictures of text, as on a disc, are left out. */
  subtitles: SubtitleStream[];
  /** Browsers can play the file as it is. */
  playable: boolean;
  /** Its packets can be copied into another file without a change to what is shown and when. */
  copyable: boolean;
  /**
   * It plays sooner, or can be sought at all, once it was copied: an MP4 whose index stands behind the pictures or
   * that has fragments, another file that does not say how long it is, as browsers record them, and a file that
   * ends before its video does and would be waited for.
   */
  needsFaststart: boolean;
}

/**
 * Bytes of a file that is read as a whole while its sender waits: 6 seconds, or half a minute from a
 * slow disk.
 */
export const MEASURED_WHILE_WAITING = 4 * 1024 ** 3;

export interface ProbeOptions {
  /** `unplayable` decodes nothing of a file that browsers play by its header. */
  decode?: "all" | "unplayable";
  /**
   * Bytes of the largest file that is read as a whole for its duration, where timestamps may jump. Of a
   * larger one the duration is an estimate.
   */
  measureUpTo?: number;
}

/** Whether a position can't be found in a file by its timestamp, since these restart or jump. */
export function timestampsJump({ dtsDeltaThreshold }: Probe): boolean {
  return dtsDeltaThreshold !== undefined;
}

/** A file that is not taken; `message` is the sentence for the person who sent it. */
export class RefusedFileError extends Error {
  constructor(
    /** 415: not a video that can be read. 422: a video, but broken or absurd. */
    readonly status: 415 | 422,
    message: string,
  ) {
    super(message);
  }
}

const NOT_A_VIDEO = "This is not a video file that can be read. MP4, MOV, MKV, WebM and AVI are.";
const NO_PICTURES = "This file has no video in it.";
const BROKEN = "This video is damaged: not one picture of it can be read.";
const INDEX_MISSING =
  "This video is cut off: its index is missing, so that nothing of it can be played. Send all of it.";
const VVC =
  "The pictures of this video are in VVC (H.266), which can't be read here. Send it in H.264, HEVC, VP9 or AV1.";
const UNKNOWN_FORMAT = "The pictures of this video are in a format that can't be read here.";
const TOO_LARGE = `The pictures of this video are too large or too small: ${MIN_SIDE} pixels to 8K (8192 × 4320) can be shown.`;
const TOO_LONG = "This video claims to be longer than 24 hours.";
const NO_LENGTH = "This video is damaged: how long it is can't be read.";
const ENCRYPTED =
  "This video is encrypted (DRM), so that nobody could watch it here. Send a file without copy protection.";
const TOO_MANY_STREAMS = `This file holds more than ${MAX_STREAMS - 1} streams.`;

const answerSchema = z.object({
  streams: z.array(streamSchema).default([]),
  format: z.object({
    format_name: z.string(),
    start_time: number,
    duration: number,
    tags: z.record(z.string(), z.string()).optional(),
  }),
});
type Answer = z.infer<typeof answerSchema>;

/**
 * Reads what a file holds, with ffprobe inside limits. One picture is decoded, so that a file which
 * passes is one that something can be made of.
 *
 * @returns undefined only where ffmpeg is not installed.
 * @throws {RefusedFileError} for what is no video (415), or is broken or absurd (422).
 */
export async function probe(
  file: string,
  { decode = "all", measureUpTo = Number.POSITIVE_INFINITY }: ProbeOptions = {},
): Promise<Probe | undefined> {
  if (!ffmpegAvailable()) return undefined;
  const size = await inputSize(file);
  if (size === 0) throw new RefusedFileError(415, EMPTY_FILE);
  const layout = await readMp4Layout(file);
  const isCut = layout !== undefined && layout.index !== "whole";
  const answer = await runFfprobe(file, isCut);
  if (answer.streams.length >= MAX_STREAMS) throw new RefusedFileError(422, TOO_MANY_STREAMS);
  // Matroska names the key of a track that is encrypted (ContentEncKeyID).
  if (layout?.isEncrypted || answer.streams.some(({ tags }) => tags?.enc_key_id !== undefined)) {
    throw new RefusedFileError(422, ENCRYPTED);
  }
  const pictures = answer.streams.filter(isPicture);
  const picture = largest(preferred(pictures));
  if (!picture) throw new RefusedFileError(422, isCut ? INDEX_MISSING : NO_PICTURES);
  requireSize(picture);
  const video = describeVideo(picture);
  const sounds = answer.streams.filter(isSound);
  const [sound] = preferred(sounds);
  const audio = sound && describeAudio(sound, answer.format.start_time);
  const container = containerName(answer.format.format_name, answer.format.tags, video, audio);
  // Browsers take the first of each.
  const isFirst = picture === pictures[0] && sound === sounds[0];
  const copyable =
    layout === undefined ||
    (layout.isCopyable && !(layout.isTrimmed && (await endsEarly(file, picture.index))));
  // Browsers decode with the first sample description, and differ in what they make of several edits.
  const playable = isFirst && copyable && isPlayable(container, video, audio);
  if (decode === "all" || !playable) await decodeOnePicture(file, picture);
  const audioIndices = sounds.map(({ index }) => index);
  const said = { container: answer.format, picture, audio: audioIndices, layout };
  const isEstimated = timestampsMayJump(answer.format.format_name) && size > measureUpTo;
  const length = await lengthOf(file, { ...said, frameRate: video.frameRate }, isEstimated);
  const isReadyToPlay = ["mp4", "mov"].includes(container)
    ? layout?.isIndexFirst && !layout.isFragmented
    : (answer.format.duration ?? picture.duration);

  return {
    container,
    durationSeconds: length.seconds,
    ...(length.announcedSeconds && { announcedSeconds: length.announcedSeconds }),
    ...(isEstimated && { isEstimated }),
    ...(length.dtsDeltaThreshold && { dtsDeltaThreshold: length.dtsDeltaThreshold }),
    ...(isCutOff(length) && { cutOff: length }),
    video: {
      ...video,
      ...(length.dtsDeltaThreshold && {
        firstSize: { width: picture.width ?? 0, height: picture.height ?? 0 },
      }),
    },
    ...(audio && { audio }),
    sounds: describeSounds(sounds, sound, answer.format.start_time),
    subtitles: answer.streams.flatMap((stream) => describeSubtitles(stream) ?? []),
    playable,
    copyable,
    needsFaststart: length.announcedSeconds !== undefined || !isReadyToPlay,
  };
}

async function lengthOf(
  file: string,
  said: SaidLength,
  isEstimated: boolean,
): Promise<VideoLength> {
  const { container, layout } = said;
  const length = await videoLength(file, said, { tailOnly: isEstimated });
  // The last packets may be after the end of the last edit.
  if (layout?.editedSeconds && !layout.isCopyable)
    length.seconds = Math.min(length.seconds, layout.editedSeconds - (container.start_time ?? 0));
  if (isEstimated) return length;
  if (!(length.seconds > 0)) throw new RefusedFileError(422, NO_LENGTH);
  if (length.seconds > MAX_DURATION_SECONDS) throw new RefusedFileError(422, TOO_LONG);
  return length;
}

async function runFfprobe(file: string, isCut: boolean): Promise<Answer> {
  const { stdout, stderr, exitCode, isMaxBuffer } = await run(
    "ffprobe",
    ["-v", "error", "-of", "json", "-show_format", "-show_streams", ...inputArguments(file)],
    PROBE_LIMITS,
  );
  if (isMaxBuffer || stderr.includes("max_streams")) {
    throw new RefusedFileError(422, TOO_MANY_STREAMS);
  }
  if (exitCode !== 0 && isCut) throw new RefusedFileError(422, INDEX_MISSING);
  if (exitCode !== 0) throw new RefusedFileError(415, NOT_A_VIDEO);
  const answer = answerSchema.safeParse(JSON.parse(stdout));
  if (!answer.success) throw new RefusedFileError(415, NOT_A_VIDEO);
  return answer.data;
}

/**
 * Whether an MP4 or MOV has frames after its edit. ffmpeg reads the packets up to the next keyframe, for
 * decoders that need them, and a copy would show them. Those before the edit are no such case: the copy gets
 * an edit that begins behind them.
 */
async function endsEarly(file: string, stream: number): Promise<boolean> {
  const { stdout } = await run(
    "ffprobe",
    [
      ...["-v", "error", "-select_streams", String(stream), "-read_intervals", "999999%"],
      ...["-show_entries", "packet=pts,flags", "-of", "csv=p=0", ...inputArguments(file)],
    ],
    PROBE_LIMITS,
  );
  const packets = stdout.split("\n").map((line) => line.split(","));
  const shown = packets.filter(([, flags = ""]) => flags !== "" && !flags.includes("D"));
  // All that is read may be the keyframe after the end.
  const first = shown.length > 0 ? Math.min(...shown.map(([pts]) => Number(pts))) : -Infinity;
  return packets.some(([pts, flags = ""]) => flags.includes("D") && Number(pts) > first);
}

/** ffprobe has one name for MP4 and MOV, and one for Matroska and WebM; browsers do not. */
function containerName(
  formatName: string,
  tags: Record<string, string> | undefined,
  video: VideoStream,
  audio: AudioStream | undefined,
): string {
  if (formatName.startsWith("mov,")) return tags?.major_brand?.trim() === "qt" ? "mov" : "mp4";
  if (!formatName.startsWith("matroska")) return formatName.split(",")[0]!;
  const ofWebm =
    ["vp8", "vp9", "av1"].includes(video.codec) &&
    (!audio || ["opus", "vorbis"].includes(audio.codec));
  return ofWebm ? "webm" : "matroska";
}

function requireSize({ width = 0, height = 0 }: Stream): void {
  const isTooLarge = Math.max(width, height) > MAX_SIDE || width * height > MAX_PIXELS;
  if (isTooLarge || Math.min(width, height) < MIN_SIDE) throw new RefusedFileError(422, TOO_LARGE);
}

async function decodeOnePicture(file: string, { index, ...stream }: Stream): Promise<void> {
  const { exitCode, stdout } = await run(
    "ffmpeg",
    [
      ...["-v", "error", "-threads", "1", ...inputArguments(file), "-map", `0:${index}`],
      ...["-frames:v", "1", "-f", "null", "-progress", "pipe:1", "-"],
    ],
    PROBE_LIMITS,
  );
  if (exitCode !== 0 || !/^frame=1$/m.test(stdout)) {
    if (/^vv[ci]1$/.test(stream.codec_tag_string)) throw new RefusedFileError(415, VVC);
    if (stream.codec_name === "unknown") throw new RefusedFileError(415, UNKNOWN_FORMAT);
    throw new RefusedFileError(422, BROKEN);
  }
}

/** Of the files that were read last, by what changes with their contents: a video's jobs follow each other. */
const probes = processState("probed files", () => new LRUCache<string, Probe>({ max: 4 }));

/**
 * What `probe` finds in a file; it is not read again while it has not changed.
 *
 * @throws {RefusedFileError} when it is not one that anything can be made from, or not there.
 * @throws {InterruptedError} when it could not be read to the end.
 */
export async function cachedProbe(file: string): Promise<Probe> {
  // A file that is gone is told by the probe.
  const state = await stat(file).catch(() => undefined);
  const version = [file, state?.ino, state?.size, state?.mtimeMs, state?.ctimeMs].join();
  const found = probes().get(version) ?? (await probe(file));
  if (!found) throw new InterruptedError("ffmpeg is not installed any more.");
  // To ffprobe, a failure of the store looks like the end of a file that is read by range.
  if (!inputUrl(file)) probes().set(version, found);
  return found;
}
