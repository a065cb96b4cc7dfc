import type { Generated, Selectable } from "kysely";

/**
 * A file of a video that is not the one it has: it is still being prepared, or was replaced. Its jobs
 * and its rows of `media_files` have its id where others have that of a video.
 */
export interface VideoFilesTable {
  id: string;
  video_id: string;
  /**
   * `pending`: it replaces the file of its video once all is made of it. `earlier`: it was replaced, and
   * can come back. `original`: the file of its video is a cut of it; as `earlier`, but not in the trash.
   * `removed`: its files are gone, or enqueued in `removals`, and its address leads to the file of today.
   */
  state: "pending" | "earlier" | "original" | "removed";
  /** Who sent it, or replaced it. */
  user_id: string | null;
  /** ISO 8601 UTC */
  created_at: Generated<string>;
  /** Null for one that never was the file of its video. */
  replaced_at: string | null;
  duration: Generated<string>;
  video_url: Generated<string>;
  source_url: string | null;
  thumbnail_url: string | null;
  poster_colors: string | null;
  generated_poster_url: string | null;
  hls_url: string | null;
  hls_settings: string | null;
  source_removed_at: string | null;
  storyboard_url: string | null;
  preview_url: string | null;
  captions: string | null;
  loudness: number | null;
  true_peak: number | null;
  bytes: Generated<number>;
  sha256: string | null;
  /** `{userId}/{uploadId}` of the file that this one is a part of. */
  cut_of: string | null;
  /** From which of its seconds to which. */
  cut_start: number | null;
  cut_end: number | null;
  /** `views` and `parts` of `watched_parts`, as JSON, of the time when it was the file of its video. */
  watched: string | null;
}

export type VideoFileRow = Selectable<VideoFilesTable>;

/** The columns of `videos` that change with its file; `bytes` is added up from `media_files`. */
export const FILE_COLUMNS = [
  "duration",
  "video_url",
  "source_url",
  "source_removed_at",
  "hls_url",
  "hls_settings",
  "storyboard_url",
  "preview_url",
  "captions",
  "loudness",
  "true_peak",
  "cut_of",
  "cut_start",
  "cut_end",
] as const;

/** Those that change with it unless somebody has chosen the thumbnail. */
export const POSTER_COLUMNS = ["thumbnail_url", "poster_colors", "generated_poster_url"] as const;
