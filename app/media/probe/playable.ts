/** One video stream, as it is shown: turned upright, with square pixels. */
export interface VideoStream {
  /** Its number in the file. */
  index: number;
  /** ffmpeg's name, such as `h264`. */
  codec: string;
  profile: string;
  width: number;
  height: number;
  /** Degrees clockwise by which the stored picture is turned to be shown; width and height know. */
  rotation: number;
  /** Pictures a second, on average. */
  frameRate: number;
  /** Such as `yuv420p`. */
  pixelFormat: string;
  hdr: boolean;
  /** ffmpeg's names of the colours, such as `bt2020` and `bt2020nc`; left out where the file does not say. */
  primaries?: string;
  matrix?: string;
  transfer?: string;
  /** Black is 0 and white 255, where the file says so. */
  fullRange?: boolean;
  interlaced: boolean;
  /** The stored size, where later frames may have another one. */
  firstSize?: { width: number; height: number };
}

export interface AudioStream {
  index: number;
  codec: string;
  channels: number;
  sampleRate: number;
  /** Its first sample comes more than 0.1 s after the beginning of the file. */
  startsLate?: boolean;
}

/** One of the sounds of a file, such as a language or a commentary. */
export interface SoundStream extends AudioStream {
  /** As the file says, such as `eng`; may be empty, or anything. */
  language: string;
  title: string;
}

/** Captions that a file carries as text. */
export interface SubtitleStream {
  index: number;
  /** As the file says, such as `eng`; may be empty, or anything. */
  language: string;
  title: string;
  /** Only what is said in a foreign language, or stands on signs. */
  forced: boolean;
  forTheDeaf: boolean;
}

const EIGHT_BIT_420 = ["yuv420p", "yuvj420p"];

/** Whether all of today's browsers decode these pictures, in a container that they read. */
export function isPlayableVideo({ codec, profile, pixelFormat }: VideoStream): boolean {
  if (!EIGHT_BIT_420.includes(pixelFormat)) return false;
  if (codec === "h264") return !/10|4:2:2|4:4:4|CAVLC/.test(profile);
  return ["vp8", "vp9", "av1"].includes(codec);
}

const SOUND_OF_MP4 = ["aac", "mp3", "opus"];
const SOUND_OF_WEBM = ["opus", "vorbis"];

/**
 * Whether browsers play a file as it is: H.264 8-bit 4:2:0 with AAC, MP3 or no sound in MP4 or MOV;
 * VP8, VP9 or AV1 with Opus or Vorbis in WebM; AV1 with Opus or AAC in MP4.
 */
export function isPlayable(container: string, video: VideoStream, audio?: AudioStream): boolean {
  if (!isPlayableVideo(video)) return false;
  if (container === "mp4" || container === "mov") {
    if (audio && !SOUND_OF_MP4.includes(audio.codec)) return false;
    if (video.codec === "h264") return audio?.codec !== "opus";
    return video.codec === "av1" && container === "mp4";
  }
  if (container !== "webm") return false;
  return video.codec !== "h264" && (!audio || SOUND_OF_WEBM.includes(audio.codec));
}
