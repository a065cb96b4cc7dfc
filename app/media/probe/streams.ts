import { z } from "zod";

/** A video stream as it is displayed: rotated upright, with square pixels. */
export interface VideoStream {
  /** The stream's index in the file. */
  index: number;
  /** ffmpeg's name for the codec, such as `h264`. */
  codec: string;
  profile: string;
  width: number;
  height: number;
  /**
   * The number of degrees by which stored frames are rotated clockwise for display. Already applied to the width and
   * height.
   */
  rotation: number;
  /** The average number of frames per second. */
  frameRate: number;
  /** The pixel format, such as `yuv420p`. */
  pixelFormat: string;
  hdr: boolean;
  /** ffmpeg's color names, such as `bt2020` and `bt2020nc`; omitted if the file doesn't specify them. */
  primaries?: string;
  matrix?: string;
  transfer?: string;
  /** Whether the file declares full range, in which black is 0 and white is 255. */
  fullRange?: boolean;
  interlaced: boolean;
  /** The stored size; set only if later frames may have a different size. */
  firstSize?: { width: number; height: number };
}

export interface AudioStream {
  index: number;
  codec: string;
  channels: number;
  sampleRate: number;
  /** Whether the stream's first sample is more than 0.1 s after the start of the file. */
  startsLate?: boolean;
}

/** An audio track in a file, such as a language or a commentary. */
export interface AudioTrack extends AudioStream {
  /** The language as given in the file, such as `eng`. It may be empty or any text. */
  language: string;
  title: string;
}

/** A text subtitle stream in a file. */
export interface SubtitleStream {
  index: number;
  /** The language as given in the file, such as `eng`. It may be empty or any text. */
  language: string;
  title: string;
  /** Whether the subtitles cover only foreign-language dialogue and signs. */
  forced: boolean;
  hearingImpaired: boolean;
}

const EIGHT_BIT_420 = ["yuv420p", "yuvj420p"];

/** Whether all current browsers can decode a video stream, given a container that they support. */
export function isPlayableVideo({ codec, profile, pixelFormat }: VideoStream): boolean {
  if (!EIGHT_BIT_420.includes(pixelFormat)) return false;
  if (codec === "h264") return !/10|4:2:2|4:4:4|CAVLC/.test(profile);
  return ["vp8", "vp9", "av1"].includes(codec);
}

const MP4_AUDIO_CODECS = ["aac", "mp3", "opus"];
const WEBM_AUDIO_CODECS = ["opus", "vorbis"];

/**
 * Whether browsers can play a file unchanged: H.264 8-bit 4:2:0 with AAC, MP3 or no audio in MP4 or MOV;
 * VP8, VP9 or AV1 with Opus or Vorbis in WebM; AV1 with Opus or AAC in MP4.
 */
export function isPlayable(container: string, video: VideoStream, audio?: AudioStream): boolean {
  if (!isPlayableVideo(video)) return false;
  if (container === "mp4" || container === "mov") {
    if (audio && !MP4_AUDIO_CODECS.includes(audio.codec)) return false;
    if (video.codec === "h264") return audio?.codec !== "opus";
    return video.codec === "av1" && container === "mp4";
  }
  if (container !== "webm") return false;
  return video.codec !== "h264" && (!audio || WEBM_AUDIO_CODECS.includes(audio.codec));
}

/** A number that ffprobe may write as a string or omit. */
export const number = z.coerce.number().optional().catch(undefined);
/** A file's stream, as described in ffprobe's output. */
export const streamSchema = z.object({
  index: z.number(),
  codec_type: z.string().optional(),
  codec_name: z.string().default("unknown"),
  codec_tag_string: z.string().default(""),
  profile: z.coerce.string().optional(),
  width: number,
  height: number,
  sample_aspect_ratio: z.string().optional(),
  pix_fmt: z.string().optional(),
  field_order: z.string().optional(),
  color_range: z.string().optional(),
  color_transfer: z.string().optional(),
  color_primaries: z.string().optional(),
  color_space: z.string().optional(),
  avg_frame_rate: z.string().optional(),
  r_frame_rate: z.string().optional(),
  has_b_frames: number,
  channels: number,
  sample_rate: number,
  start_time: number,
  duration: number,
  disposition: z
    .object({
      default: z.number().default(0),
      attached_pic: z.number().default(0),
      forced: z.number().default(0),
      hearing_impaired: z.number().default(0),
    })
    .optional(),
  tags: z.record(z.string(), z.string()).optional(),
  side_data_list: z.array(z.object({ rotation: number })).optional(),
});
export type Stream = z.infer<typeof streamSchema>;

export const isVideoStream = ({ codec_type, disposition }: Stream) =>
  codec_type === "video" && !disposition?.attached_pic;
export const isAudioStream = ({ codec_type, channels }: Stream) =>
  codec_type === "audio" && Boolean(channels);

/** Returns the streams that the file marks as default, or all streams if it doesn't mark any. */
export function preferred(streams: Stream[]): Stream[] {
  const chosen = streams.filter(({ disposition }) => disposition?.default === 1);
  return chosen.length > 0 ? chosen : streams;
}

/** Returns the stream with the most pixels, or the first one if several have the same number of pixels. */
export function largest(streams: Stream[]): Stream | undefined {
  const pixels = ({ width = 0, height = 0 }: Stream) => width * height;
  return streams.reduce<Stream | undefined>(
    (best, stream) => (best && pixels(best) >= pixels(stream) ? best : stream),
    undefined,
  );
}

export function describeVideo(stream: Stream): VideoStream {
  const { width = 0, height = 0 } = stream;
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
    ...named("primaries", stream.color_primaries),
    ...named("matrix", stream.color_space),
    ...named("transfer", stream.color_transfer),
    ...(stream.color_range === "pc" && { fullRange: true }),
    interlaced: ["tt", "bb", "tb", "bt"].includes(stream.field_order ?? ""),
  };
}

/** Omits ffprobe's names for reserved and unspecified values. */
function named<Name extends string>(name: Name, value: string | undefined) {
  const isKnown = value && !["unknown", "unspecified", "reserved"].includes(value);
  return (isKnown ? { [name]: value } : {}) as { [Key in Name]?: string };
}

const LATE_SECONDS = 0.1;

/** @param fileStart the timestamp at which the file begins, in seconds. */
export function describeAudio(stream: Stream, fileStart = 0): AudioStream {
  const startsLate = (stream.start_time ?? fileStart) > fileStart + LATE_SECONDS;
  return {
    index: stream.index,
    codec: stream.codec_name,
    channels: stream.channels ?? 2,
    sampleRate: stream.sample_rate ?? 48_000,
    ...(startsLate && { startsLate }),
  };
}

/** Describes the audio tracks that can be decoded, the default one first. */
export function describeAudioTracks(
  streams: Stream[],
  played: Stream | undefined,
  fileStart?: number,
): AudioTrack[] {
  const known = streams.filter(
    (stream) => stream === played || (stream.codec_name !== "unknown" && stream.sample_rate),
  );
  return [...new Set(played ? [played, ...known] : known)].map((stream) => ({
    ...describeAudio(stream, fileStart),
    language: stream.tags?.language ?? "",
    title: stream.tags?.title ?? "",
  }));
}

export function describeSubtitles(stream: Stream): SubtitleStream | undefined {
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
    hearingImpaired: disposition?.hearing_impaired === 1,
  };
}

/** Parses a ratio such as "30000/1001" or "4:3". Returns the fallback if the ratio is missing, zero or implausible. */
function ratio(text: string | undefined, divider: string, fallback: number): number {
  const [above, below] = (text ?? "").split(divider).map(Number);
  const value = above && below ? above / below : Number.NaN;
  return value > 0.001 && value < 1_000 ? value : fallback;
}
