import type { Captions } from "~db/captions";
import type { Bucket } from "../bucket.server";
import type { Probe } from "../probe/probe.server";

/** The result of running SCAN_COMMAND on a file. */
export interface ScanResult {
  verdict: "pass" | "hold" | "refuse";
  /** At most one line of the command's output, without control characters. */
  reason: string;
}

/** A job's source file and the row of its video. */
export interface Source {
  videoId: string;
  /** `{userId}/{uploadId}`, the base path of derived files. */
  basePath: string;
  /** The URL path of the original file, such as `/media/videos/u/1.avi`. */
  url: string;
  /** The original file's path on the disk. */
  file: string;
  /** The path of the file that browsers play: the original or its converted copy. */
  playedFile: string;
  /** The range to be encoded, for a trim that isn't encoded yet. */
  trim?: TrimRange;
  /** The current values of the row's columns. */
  row: {
    video_url: string;
    thumbnail_url: string | null;
    hls_url: string | null;
    source_removed_at: string | null;
  };
  /** Whether the played file is free of private metadata. */
  isClean?: boolean;
}

/** The trim's range, in seconds. */
export interface TrimRange {
  start: number;
  end: number;
}

/** The result of a job: files that are in the task's folder or already in their final locations. */
export interface Artifact {
  moves: { from: string; bucket: Bucket; path: string }[];
  /** The file that replaces the one used for playback, at the same URL. */
  replacement?: string;
  /** New values for the video's columns. All other columns stay unchanged. */
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
  /**
   * The URL of the stream to which the files are added. If the video has been given a different stream in the meantime,
   * the files are discarded.
   */
  ofStream?: string;
  /** The ids of similar videos. */
  similar?: readonly string[];
  /** The ids of similar blocked videos. */
  blocked?: readonly number[];
  /** The result of the malware scan. */
  scan?: ScanResult;
  /** Captions found in the file. Captions that an admin has added are kept. */
  captions?: Captions[];
  /** The poster, which is used only if the row has no thumbnail. */
  poster?: { url: string; colors: string | undefined };
  /** Replaces the thumbnail `before`, unless the video's thumbnail has changed in the meantime. */
  thumbnail?: { before: string; url: string; colors: string | undefined };
  /** Whether some browsers can't decode the file, so that the stream has to be encoded before anything else. */
  streamIsUrgent?: boolean;
  /** The file's duration, which is used only if the row's duration is 0:00. */
  durationSeconds?: number;
  /** A problem that didn't cause the job to fail. */
  note?: string;
}

export const NO_ARTIFACT: Artifact = { moves: [], columns: {} };

/** The minimum duration of a video that gets a stream. Shorter videos don't need one, because nobody seeks in them. */
const MIN_STREAM_SECONDS = 0.1;

/**
 * Whether a video has only one frame or is extremely short. Such a video is played as a file, because players would
 * wait forever for a stream without segments.
 */
export function isSingleFrame({ durationSeconds, video }: Probe): boolean {
  return durationSeconds < MIN_STREAM_SECONDS || durationSeconds * video.frameRate < 1.5;
}

/** Returns the size limit, in bytes, for a file with the given duration and bitrate, with a generous margin. */
export function maxFileBytes(seconds: number, bitsPerSecond: number): number {
  return Math.ceil(((seconds + 10) * bitsPerSecond * 2) / 8) + 64 * 1024 ** 2;
}

/** Returns the limit on CPU seconds for work on a video, which is enough for 8K on one slow core. */
export function cpuSecondsFor({ durationSeconds }: Pick<Probe, "durationSeconds">): number {
  return 600 + durationSeconds * 120;
}
