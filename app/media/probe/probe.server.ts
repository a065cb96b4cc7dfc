import { z } from "zod";
import type { CutOff } from "~/shared/cut-off";
import { ffmpegAvailable, inputArguments, MAX_STREAMS, run } from "./ffmpeg.server";
import { type FilmLength, filmLength, isCutOff } from "./length.server";
import { type Mp4Layout, readMp4Layout } from "./mp4-boxes.server";
import { type AudioStream, isPlayable, type SubtitleStream, type VideoStream } from "./playable";

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
  /** Less than 95 % of the announced film is there. */
  cutOff?: CutOff;
  video: VideoStream;
  audio?: AudioStream;
  /** Those that are text; pictures of text, as on a disc, are left out. */
  subtitles: SubtitleStream[];
  /** Browsers can play the file as it is. */
  playable: boolean;
  /** The header says how long it is; what browsers record does not. */
  saysDuration: boolean;
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
const TOO_LARGE = `The pictures of this video are too large or too small: ${MIN_SIDE} pixels to 8K (8192 × 4320) can be shown.`;
const TOO_LONG = "This video claims to be longer than 24 hours.";
const NO_LENGTH = "This video is damaged: how long it is can't be read.";
const ENCRYPTED =
  "This video is encrypted (DRM), so that nobody could watch it here. Send a file without copy protection.";
const TOO_MANY_STREAMS = `This file holds more than ${MAX_STREAMS - 1} streams.`;

const number = z.coerce.number().optional().catch(undefined);
const streamSchema = z.object({
  index: z.number(),
  codec_type: z.string().optional(),
  codec_name: z.string().default("unknown"),
  profile: z.coerce.string().optional(),
  width: number,
  height: number,
  sample_aspect_ratio: z.string().optional(),
  pix_fmt: z.string().optional(),
  field_order: z.string().optional(),
  color_transfer: z.string().optional(),
  avg_frame_rate: z.string().optional(),
  r_frame_rate: z.string().optional(),
  channels: number,
  sample_rate: number,
  start_time: number,
  duration: number,
  disposition: z
    .object({
      attached_pic: z.number().default(0),
      forced: z.number().default(0),
      hearing_impaired: z.number().default(0),
    })
    .optional(),
  tags: z.record(z.string(), z.string()).optional(),
  side_data_list: z.array(z.object({ rotation: number })).optional(),
});
const answerSchema = z.object({
  streams: z.array(streamSchema).default([]),
  format: z.object({
    format_name: z.string(),
    start_time: number,
    duration: number,
    tags: z.record(z.string(), z.string()).optional(),
  }),
});
type Stream = z.infer<typeof streamSchema>;
type Answer = z.infer<typeof answerSchema>;

/**
 * Reads what a file holds, with ffprobe inside limits. One picture is decoded, so that a file which
 * passes is one that something can be made of.
 *
 * @param decode `unplayable` leaves that out for a file that browsers play by its header.
 * @returns undefined only where ffmpeg is not installed.
 * @throws {RefusedFileError} for what is no video (415), or is broken or absurd (422).
 */
export async function probe(
  file: string,
  { decode = "all" }: { decode?: "all" | "unplayable" } = {},
): Promise<Probe | undefined> {
  if (!ffmpegAvailable()) return undefined;
  const layout = await readMp4Layout(file);
  const isCut = layout !== undefined && layout.index !== "whole";
  const answer = await runFfprobe(file, isCut);
  if (answer.streams.length >= MAX_STREAMS) throw new RefusedFileError(422, TOO_MANY_STREAMS);
  if (layout?.isEncrypted || answer.streams.some(isEncryptedTrack)) {
    throw new RefusedFileError(422, ENCRYPTED);
  }
  const picture = answer.streams.find(
    (stream) => stream.codec_type === "video" && !stream.disposition?.attached_pic,
  );
  if (!picture) throw new RefusedFileError(422, isCut ? INDEX_MISSING : NO_PICTURES);
  const video = describeVideo(picture);
  const sound = answer.streams.find((stream) => stream.codec_type === "audio" && stream.channels);
  const audio = sound && describeAudio(sound);
  const container = containerName(answer.format.format_name, answer.format.tags, video, audio);
  const playable = isPlayable(container, video, audio);
  if (decode === "all" || !playable) await decodeOnePicture(file, video.index);
  const length = await lengthOf(file, answer, picture, video, layout);

  return {
    container,
    durationSeconds: length.seconds,
    ...(length.announcedSeconds && { announcedSeconds: length.announcedSeconds }),
    ...(isCutOff(length) && { cutOff: length }),
    video,
    ...(audio && { audio }),
    subtitles: answer.streams.flatMap((stream) => describeSubtitles(stream) ?? []),
    playable,
    saysDuration: Boolean(answer.format.duration ?? picture.duration),
  };
}

async function lengthOf(
  file: string,
  { format }: Answer,
  picture: Stream,
  { frameRate }: VideoStream,
  layout: Mp4Layout | undefined,
): Promise<FilmLength> {
  const length = await filmLength(file, { container: format, picture, frameRate, layout });
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

/** Matroska names the key of a track that is encrypted (ContentEncKeyID). */
function isEncryptedTrack({ tags }: Stream): boolean {
  return tags?.enc_key_id !== undefined;
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

function describeVideo(stream: Stream): VideoStream {
  const { width = 0, height = 0 } = stream;
  if (Math.max(width, height) > MAX_SIDE || width * height > MAX_PIXELS) {
    throw new RefusedFileError(422, TOO_LARGE);
  }
  if (Math.min(width, height) < MIN_SIDE) throw new RefusedFileError(422, TOO_LARGE);
  const turned = stream.side_data_list?.find((each) => each.rotation !== undefined)?.rotation ?? 0;
  const rotation = (((Math.round(-turned / 90) * 90) % 360) + 360) % 360;
  const stretched = Math.round(width * ratio(stream.sample_aspect_ratio, ":", 1)) || width;
  const sideways = rotation % 180 !== 0;
  return {
    index: stream.index,
    codec: stream.codec_name,
    profile: stream.profile ?? "",
    width: sideways ? height : stretched,
    height: sideways ? stretched : height,
    rotation,
    frameRate: ratio(stream.avg_frame_rate, "/", ratio(stream.r_frame_rate, "/", 25)),
    pixelFormat: stream.pix_fmt ?? "unknown",
    hdr: ["smpte2084", "arib-std-b67"].includes(stream.color_transfer ?? ""),
    interlaced: ["tt", "bb", "tb", "bt"].includes(stream.field_order ?? ""),
  };
}

function describeAudio(stream: Stream): AudioStream {
  return {
    index: stream.index,
    codec: stream.codec_name,
    channels: stream.channels ?? 2,
    sampleRate: stream.sample_rate ?? 48_000,
  };
}

function describeSubtitles(stream: Stream): SubtitleStream | undefined {
  const isText = ["subrip", "srt", "ass", "ssa", "mov_text", "webvtt", "text"].includes(
    stream.codec_name,
  );
  if (stream.codec_type !== "subtitle" || !isText) return undefined;
  const { index, tags = {}, disposition } = stream;
  return {
    index,
    language: tags.language ?? "",
    title: tags.title ?? "",
    forced: disposition?.forced === 1,
    forTheDeaf: disposition?.hearing_impaired === 1,
  };
}

/** "30000/1001" or "4:3" as a number; what is missing, zero or absurd gives the fallback. */
function ratio(text: string | undefined, divider: string, fallback: number): number {
  const [above, below] = (text ?? "").split(divider).map(Number);
  const value = above && below ? above / below : Number.NaN;
  return value > 0.001 && value < 1_000 ? value : fallback;
}

async function decodeOnePicture(file: string, stream: number): Promise<void> {
  const { exitCode, stdout } = await run(
    "ffmpeg",
    [
      ...["-v", "error", "-threads", "1", ...inputArguments(file), "-map", `0:${stream}`],
      ...["-frames:v", "1", "-f", "null", "-progress", "pipe:1", "-"],
    ],
    PROBE_LIMITS,
  );
  if (exitCode !== 0 || !/^frame=1$/m.test(stdout)) {
    throw new RefusedFileError(422, BROKEN);
  }
}
