import type { Captions } from "~db/captions";
import type { Bucket } from "../bucket.server";
import type { Probe } from "../probe/probe.server";

/** What SCAN_COMMAND said about a file. */
export interface ScanResult {
  verdict: "pass" | "hold" | "refuse";
  /** One line of it, at most; without control characters. */
  reason: string;
}

/** The file that things are made from. */
export interface Source {
  videoId: string;
  /** `{userId}/{uploadId}`: where what is made belongs. */
  basePath: string;
  /** Path of the address of the file as it came, such as `/media/videos/u/1.avi`. */
  url: string;
  /** That file on disk. */
  file: string;
  /** What browsers play: the same file, or its copy. */
  playing: string;
  /** Of a file that is a cut of it, and is not made yet. */
  cut?: Cut;
  /** What the row has so far. */
  row: {
    video_url: string;
    thumbnail_url: string | null;
    hls_url: string | null;
    source_removed_at: string | null;
  };
  /** Whether the file that is played has no private metadata. */
  isClean?: boolean;
}

/** A part of a video, in seconds. */
export interface Cut {
  start: number;
  end: number;
}

/** What a maker has made: files in the task's folder, or where they belong already. */
export interface Artifact {
  moves: { from: string; bucket: Bucket; path: string }[];
  /** The file that replaces the one which is played, at the same address. */
  replacement?: string;
  /** The columns of the video that name them; no others are touched. */
  columns: {
    video_url?: string;
    source_url?: string | null;
    hls_url?: string;
    hls_settings?: string;
    storyboard_url?: string;
    preview_url?: string;
    loudness?: number;
    true_peak?: number | null;
  };
  /** The stream that this is added to, by its address: of no use once the video has another one. */
  ofStream?: string;
  /** The ids of the videos that it looks like. */
  similar?: readonly string[];
  /** The ids of the blocked videos that it looks like. */
  blocked?: readonly number[];
  /** What the scan of the file said. */
  scan?: ScanResult;
  /** What the file has; what an admin has added stays beside it. */
  captions?: Captions[];
  /** Taken only while the row has none. */
  poster?: { url: string; colors: string | undefined };
  /** Takes the place of the one before, unless somebody has given the video another. */
  thumbnail?: { before: string; url: string; colors: string | undefined };
  /** Not every browser decodes the file: the stream, which all do, is made before anything else. */
  streamIsUrgent?: boolean;
  /** Taken only while the row says 0:00. */
  durationSeconds?: number;
  /** What the job could not do, although it is done. */
  note?: string;
}

export const NO_ARTIFACT: Artifact = { moves: [], columns: {} };

/** Shorter than this nobody seeks in a video, and no player needs a stream of it. */
const SHORTEST_STREAM_SECONDS = 0.1;

/**
 * Whether a video is a single frame, or over before it is seen: it is played as a file alone. Players would wait
 * forever for a stream without segments.
 */
export function isOnePicture({ durationSeconds, video }: Probe): boolean {
  return durationSeconds < SHORTEST_STREAM_SECONDS || durationSeconds * video.frameRate < 1.5;
}

/** Bytes that a file of that length may take at that rate, with room for what was not foreseen. */
export function maxFileBytes(seconds: number, bitsPerSecond: number): number {
  return Math.ceil(((seconds + 10) * bitsPerSecond * 2) / 8) + 64 * 1024 ** 2;
}

/** Processor seconds for work on a video; 8K on one slow core takes no more. */
export function cpuSecondsFor({ durationSeconds }: Pick<Probe, "durationSeconds">): number {
  return 600 + durationSeconds * 120;
}
