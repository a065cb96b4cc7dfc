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
  type DurationHints,
  isCutOff,
  timestampsMayJump,
  type VideoLength,
  videoLength,
} from "./length.server";
import { readMp4Layout } from "./mp4-boxes.server";
import {
  type AudioStream,
  type AudioTrack,
  describeAudio,
  describeAudioTracks,
  describeSubtitles,
  describeVideo,
  isAudioStream,
  isPlayable,
  isVideoStream,
  largest,
  number,
  preferred,
  type Stream,
  type SubtitleStream,
  streamSchema,
  type VideoStream,
} from "./streams";

const PROBE_LIMITS = { seconds: 20, cpuSeconds: 20 };

/** The maximum size: 8K, in either orientation. */
const MAX_SIDE = 8_192;
const MAX_PIXELS = MAX_SIDE * 4_352;
const MIN_SIDE = 16;
const MAX_DURATION_SECONDS = 24 * 3_600;

/** What ffprobe found in a video file. */
export interface Probe {
  /** The container: `mp4`, `mov`, `webm`, `matroska`, or ffprobe's name, such as `avi`. */
  container: string;
  /** The time from the start of the file to the end of its last frame. */
  durationSeconds: number;
  /** The duration in the header; set only if the file ends before that. */
  announcedSeconds?: number;
  /**
   * Whether the file was too large to measure. If so, the duration is based on the last timestamp, assuming that
   * timestamps don't jump.
   */
  isEstimated?: boolean;
  /**
   * Set if timestamps restart or jump inside the file, so that seeking to a time doesn't work; see inputArguments().
   */
  dtsDeltaThreshold?: number;
  /** Set if the file contains less than 95% of the duration in its header. */
  cutOff?: CutOff;
  video: VideoStream;
  /** The default audio track. */
  audio?: AudioStream;
  /** All audio tracks, the default one first. */
  audioTracks: AudioTrack[];
  /** Text subtitles. Bitmap subtitles, such as those on discs, are left out. */
  subtitles: SubtitleStream[];
  /** Whether browsers can play the file unchanged. */
  playable: boolean;
  /** Whether the file's packets can be copied into another file without changing which frames are shown and when. */
  copyable: boolean;
  /**
   * Whether playback starts sooner, or the file becomes seekable, once it is remuxed. That applies to an MP4 whose
   * index is at the end or that is fragmented, a file without a duration in its header, as recorded by browsers, and a
   * file that ends before the duration in its header, where players would wait for the missing end.
   */
  needsFaststart: boolean;
}

/**
 * The size of the largest file, in bytes, that is read completely while the uploader is waiting. Reading it takes 6
 * seconds, or half a minute on a slow disk.
 */
export const MAX_MEASURED_UPLOAD_BYTES = 4 * 1024 ** 3;

export interface ProbeOptions {
  /** With `unplayable`, no frame is decoded if browsers can play the file according to its header. */
  decode?: "all" | "unplayable";
  /**
   * The size of the largest file, in bytes, that is read completely to measure its duration if timestamps may jump. For
   * larger files, the duration is an estimate.
   */
  measureUpTo?: number;
}

/** Whether timestamps restart or jump, so that seeking to a time doesn't work. */
export function timestampsJump({ dtsDeltaThreshold }: Probe): boolean {
  return dtsDeltaThreshold !== undefined;
}

/** Thrown if a file is rejected; `message` is shown to the uploader. */
export class RefusedFileError extends Error {
  constructor(
    /** 415: not a supported video. 422: a video that is damaged or exceeds a limit. */
    readonly status: 415 | 422,
    message: string,
  ) {
    super(message);
  }
}

const NOT_A_VIDEO = "This file isn’t a supported video. Use MP4, MOV, MKV, WebM or AVI.";
const NO_VIDEO_TRACK = "This file has no video track.";
const UNDECODABLE = "This video is damaged: none of its frames can be decoded.";
const INDEX_MISSING = "The file is incomplete and can’t be played. Upload the whole file.";
const VVC = "This video is in VVC (H.266), which isn’t supported. Use H.264, HEVC, VP9 or AV1.";
const UNKNOWN_FORMAT = "This video uses an unsupported codec.";
const TOO_LARGE = `The resolution of this video is too large or too small. It must be between ${MIN_SIDE} × ${MIN_SIDE} pixels and 8K (8192 × 4320).`;
const TOO_LONG = "This video is longer than 24 hours.";
const UNKNOWN_DURATION = "This video is damaged: its duration can’t be determined.";
const ENCRYPTED =
  "This video is encrypted (DRM) and can’t be played. Upload a file without copy protection.";
const TOO_MANY_STREAMS = `This file has more than ${MAX_STREAMS - 1} streams.`;

const outputSchema = z.object({
  streams: z.array(streamSchema).default([]),
  format: z.object({
    format_name: z.string(),
    start_time: number,
    duration: number,
    tags: z.record(z.string(), z.string()).optional(),
  }),
});
type FfprobeOutput = z.infer<typeof outputSchema>;

/**
 * Probes a file with ffprobe, with limits on time and memory. Also decodes one frame, so that a file that passes can
 * be encoded.
 *
 * @returns undefined only if ffmpeg isn't installed.
 * @throws {RefusedFileError} 415 if the file isn't a supported video, 422 if it is damaged or exceeds a limit.
 */
export async function probe(
  file: string,
  { decode = "all", measureUpTo = Number.POSITIVE_INFINITY }: ProbeOptions = {},
): Promise<Probe | undefined> {
  if (!ffmpegAvailable()) return undefined;
  const size = await inputSize(file);
  if (size === 0) throw new RefusedFileError(415, EMPTY_FILE);
  const layout = await readMp4Layout(file);
  const isCut = layout !== undefined && layout.index !== "complete";
  const output = await runFfprobe(file, isCut);
  if (output.streams.length >= MAX_STREAMS) throw new RefusedFileError(422, TOO_MANY_STREAMS);
  // In Matroska, an encrypted track specifies the id of its key (ContentEncKeyID).
  if (layout?.isEncrypted || output.streams.some(({ tags }) => tags?.enc_key_id !== undefined)) {
    throw new RefusedFileError(422, ENCRYPTED);
  }
  const videoStreams = output.streams.filter(isVideoStream);
  const videoStream = largest(preferred(videoStreams));
  if (!videoStream) throw new RefusedFileError(422, isCut ? INDEX_MISSING : NO_VIDEO_TRACK);
  requireSize(videoStream);
  const video = describeVideo(videoStream);
  const audioStreams = output.streams.filter(isAudioStream);
  const [audioStream] = preferred(audioStreams);
  const audio = audioStream && describeAudio(audioStream, output.format.start_time);
  const container = containerName(output.format.format_name, output.format.tags, video, audio);
  // Browsers play the first stream of each type.
  const isFirst = videoStream === videoStreams[0] && audioStream === audioStreams[0];
  const copyable =
    layout === undefined ||
    (layout.isCopyable && !(layout.isTrimmed && (await endsEarly(file, videoStream.index))));
  // Browsers use only the first sample description, and differ in how they handle several edits.
  const playable = isFirst && copyable && isPlayable(container, video, audio);
  if (decode === "all" || !playable) await decodeOneFrame(file, videoStream);
  const audioIndices = audioStreams.map(({ index }) => index);
  const hints = { container: output.format, video: videoStream, audio: audioIndices, layout };
  const isEstimated = timestampsMayJump(output.format.format_name) && size > measureUpTo;
  const length = await measureLength(file, { ...hints, frameRate: video.frameRate }, isEstimated);
  const isReadyToPlay = ["mp4", "mov"].includes(container)
    ? layout?.isIndexFirst && !layout.isFragmented
    : (output.format.duration ?? videoStream.duration);

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
        firstSize: { width: videoStream.width ?? 0, height: videoStream.height ?? 0 },
      }),
    },
    ...(audio && { audio }),
    audioTracks: describeAudioTracks(audioStreams, audioStream, output.format.start_time),
    subtitles: output.streams.flatMap((stream) => describeSubtitles(stream) ?? []),
    playable,
    copyable,
    needsFaststart: length.announcedSeconds !== undefined || !isReadyToPlay,
  };
}

async function measureLength(
  file: string,
  hints: DurationHints,
  isEstimated: boolean,
): Promise<VideoLength> {
  const { container, layout } = hints;
  const length = await videoLength(file, hints, { tailOnly: isEstimated });
  // The last packets may come after the end of the last edit.
  if (layout?.editedSeconds && !layout.isCopyable)
    length.seconds = Math.min(length.seconds, layout.editedSeconds - (container.start_time ?? 0));
  if (isEstimated) return length;
  if (!(length.seconds > 0)) throw new RefusedFileError(422, UNKNOWN_DURATION);
  if (length.seconds > MAX_DURATION_SECONDS) throw new RefusedFileError(422, TOO_LONG);
  return length;
}

async function runFfprobe(file: string, isCut: boolean): Promise<FfprobeOutput> {
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
  const output = outputSchema.safeParse(JSON.parse(stdout));
  if (!output.success) throw new RefusedFileError(415, NOT_A_VIDEO);
  return output.data;
}

/**
 * Whether an MP4 or MOV has frames after the end of its edit. ffmpeg copies the packets up to the next keyframe, for
 * decoders that need them, and the copy would show them. Frames before the edit don't matter: the copy gets an edit
 * that starts after them.
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
  // The keyframe after the end may be the only packet that has been read.
  const first = shown.length > 0 ? Math.min(...shown.map(([pts]) => Number(pts))) : -Infinity;
  return packets.some(([pts, flags = ""]) => flags.includes("D") && Number(pts) > first);
}

/** Distinguishes MP4 from MOV, and Matroska from WebM, because ffprobe has only one name for each pair. */
function containerName(
  formatName: string,
  tags: Record<string, string> | undefined,
  video: VideoStream,
  audio: AudioStream | undefined,
): string {
  if (formatName.startsWith("mov,")) return tags?.major_brand?.trim() === "qt" ? "mov" : "mp4";
  if (!formatName.startsWith("matroska")) return formatName.split(",")[0]!;
  const isWebm =
    ["vp8", "vp9", "av1"].includes(video.codec) &&
    (!audio || ["opus", "vorbis"].includes(audio.codec));
  return isWebm ? "webm" : "matroska";
}

function requireSize({ width = 0, height = 0 }: Stream): void {
  const isTooLarge = Math.max(width, height) > MAX_SIDE || width * height > MAX_PIXELS;
  if (isTooLarge || Math.min(width, height) < MIN_SIDE) throw new RefusedFileError(422, TOO_LARGE);
}

async function decodeOneFrame(file: string, { index, ...stream }: Stream): Promise<void> {
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
    throw new RefusedFileError(422, UNDECODABLE);
  }
}

/**
 * The results for the most recently probed files, keyed by path and version. They are cached because a video's jobs run
 * one after the other.
 */
const probes = processState("probed files", () => new LRUCache<string, Probe>({ max: 4 }));

/**
 * Returns the result of `probe`, cached until the file changes.
 *
 * @throws {RefusedFileError} if the file can't be processed or is missing.
 * @throws {InterruptedError} if ffprobe or ffmpeg didn't finish.
 */
export async function cachedProbe(file: string): Promise<Probe> {
  // Ignore errors here, because `probe` reports a missing file.
  const state = await stat(file).catch(() => undefined);
  const version = [file, state?.ino, state?.size, state?.mtimeMs, state?.ctimeMs].join();
  const found = probes().get(version) ?? (await probe(file));
  if (!found) throw new InterruptedError("ffmpeg is not installed.");
  // If the file is read with range requests, a store failure looks like the end of the file to ffprobe.
  if (!inputUrl(file)) probes().set(version, found);
  return found;
}
