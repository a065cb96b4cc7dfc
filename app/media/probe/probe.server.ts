import { z } from "zod";
import { ffmpegAvailable, inputArguments, MAX_STREAMS, run } from "./ffmpeg.server";
import { isEncryptedMp4 } from "./mp4-boxes.server";
import { type AudioStream, isPlayable, type SubtitleStream, type VideoStream } from "./playable";

const PROBE_LIMITS = { seconds: 20, cpuSeconds: 20 };
/** Reading a whole file for its length, where its header does not tell. */
const MEASURE_LIMITS = { seconds: 120, cpuSeconds: 60 };

/** 8K, in either direction. */
const MAX_SIDE = 8_192;
const MAX_PIXELS = MAX_SIDE * 4_352;
const MIN_SIDE = 16;
const MAX_DURATION_SECONDS = 24 * 3_600;

/** What ffprobe found in a file. */
export interface Probe {
  /** `mp4`, `mov`, `webm`, `matroska`, or ffprobe's name, such as `avi`. */
  container: string;
  durationSeconds: number;
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
    duration: number,
    tags: z.record(z.string(), z.string()).optional(),
  }),
});
type Stream = z.infer<typeof streamSchema>;

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
  const answer = await runFfprobe(file);
  if (answer.streams.length >= MAX_STREAMS) throw new RefusedFileError(422, TOO_MANY_STREAMS);
  if (await isEncrypted(file, answer)) throw new RefusedFileError(422, ENCRYPTED);
  const picture = answer.streams.find(
    (stream) => stream.codec_type === "video" && !stream.disposition?.attached_pic,
  );
  if (!picture) throw new RefusedFileError(422, NO_PICTURES);
  const video = describeVideo(picture);
  const sound = answer.streams.find((stream) => stream.codec_type === "audio" && stream.channels);
  const audio = sound && describeAudio(sound);
  const container = containerName(answer.format.format_name, answer.format.tags, video, audio);
  const playable = isPlayable(container, video, audio);
  if (decode === "all" || !playable) await decodeOnePicture(file, video.index);

  const inHeader = answer.format.duration ?? picture.duration;
  const durationSeconds = inHeader || (await measureDuration(file, video.index));
  if (!(durationSeconds > 0)) throw new RefusedFileError(422, NO_LENGTH);
  if (durationSeconds > MAX_DURATION_SECONDS) throw new RefusedFileError(422, TOO_LONG);

  return {
    container,
    durationSeconds,
    video,
    ...(audio && { audio }),
    subtitles: answer.streams.flatMap((stream) => describeSubtitles(stream) ?? []),
    playable,
    saysDuration: Boolean(inHeader),
  };
}

async function runFfprobe(file: string): Promise<z.infer<typeof answerSchema>> {
  const { stdout, stderr, exitCode, isMaxBuffer } = await run(
    "ffprobe",
    ["-v", "error", "-of", "json", "-show_format", "-show_streams", ...inputArguments(file)],
    PROBE_LIMITS,
  );
  if (isMaxBuffer || stderr.includes("max_streams")) {
    throw new RefusedFileError(422, TOO_MANY_STREAMS);
  }
  if (exitCode !== 0) throw new RefusedFileError(415, NOT_A_VIDEO);
  const answer = answerSchema.safeParse(JSON.parse(stdout));
  if (!answer.success) throw new RefusedFileError(415, NOT_A_VIDEO);
  return answer.data;
}

/** Matroska names the key of a track that is encrypted (ContentEncKeyID). */
async function isEncrypted(
  file: string,
  { format, streams }: z.infer<typeof answerSchema>,
): Promise<boolean> {
  if (streams.some(({ tags }) => tags?.enc_key_id !== undefined)) return true;
  return format.format_name.startsWith("mov,") && isEncryptedMp4(file);
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

/** The length of a recording whose header does not tell, as browsers' own recorders write them. */
async function measureDuration(file: string, stream: number): Promise<number> {
  const { stdout } = await run(
    "ffmpeg",
    [
      ...["-v", "error", ...inputArguments(file), "-map", `0:${stream}`, "-c", "copy"],
      ...["-f", "null", "-progress", "pipe:1", "-stats_period", "5", "-"],
    ],
    MEASURE_LIMITS,
  );
  const times = [...stdout.matchAll(/^out_time_us=(\d+)$/gm)];
  return Number(times.at(-1)?.[1] ?? 0) / 1_000_000;
}
