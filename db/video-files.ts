import type { Generated, Selectable } from "kysely";

/**
 * A file of a video other than its current one: a replacement in preparation, or a replaced file. Its jobs and its rows
 * in `media_files` have its id instead of a video's.
 */
export interface VideoFilesTable {
  id: string;
  video_id: string;
  /**
   * `pending`: it replaces the file of its video once everything is created from it. `earlier`: it was replaced, and
   * can be restored. `original`: the current file was trimmed from it; like `earlier`, but not in the trash. `removed`:
   * its files are deleted, or queued in `removals`, and its URL redirects to the current file.
   */
  state: "pending" | "earlier" | "original" | "removed";
  /** The user who uploaded or replaced it. */
  user_id: string | null;
  /** ISO 8601 UTC */
  created_at: Generated<string>;
  /** Null if it has never been the file of its video. */
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
  /** `{userId}/{uploadId}` of the original that this file was trimmed from. */
  cut_of: string | null;
  /** The start and end of the trim, in seconds of the original. */
  cut_start: number | null;
  cut_end: number | null;
  /** `views` and `parts` of `watched_parts` from the time when it was the file of its video, as JSON. */
  watched: string | null;
}

export type VideoFileRow = Selectable<VideoFilesTable>;

/** The columns of `videos` that change with its file. `bytes` isn't one of them: it is summed up from `media_files`. */
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

/** The columns that change with the file too, unless someone has chosen the thumbnail. */
export const POSTER_COLUMNS = ["thumbnail_url", "poster_colors", "generated_poster_url"] as const;
