import type { Generated, Selectable } from "kysely";

/**
 * A file of a video other than its current one: a replacement that is being prepared, or a replaced file. The file's
 * jobs and rows in `media_files` have the file's id instead of a video's.
 */
export interface VideoFilesTable {
  id: string;
  video_id: string;
  /**
   * `pending`: it will replace its video's file once everything has been created from it. `earlier`: it was replaced
   * and can be restored. `original`: the current file was trimmed from it; it is like `earlier`, but not in the trash.
   * `removed`: its files have been deleted, or are queued in `removals`, and its URL redirects to the current file.
   */
  state: "pending" | "earlier" | "original" | "removed";
  /** The user who uploaded the file or replaced it. */
  user_id: string | null;
  /** ISO 8601 UTC */
  created_at: Generated<string>;
  /** When the file was replaced; null if it has never been the video's current file. */
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
  /** The `{userId}/{uploadId}` of the original from which this file was trimmed. */
  cut_of: string | null;
  /** The start and end of the trim, in seconds within the original. */
  cut_start: number | null;
  cut_end: number | null;
  /** The `views` and `parts` of `watched_parts` from the time when it was the video's current file, as JSON. */
  watched: string | null;
}

export type VideoFileRow = Selectable<VideoFilesTable>;

/**
 * The columns of `videos` that change with the video's file. `bytes` isn't one of them, because it is the sum of the
 * rows in `media_files`.
 */
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

/** The columns that also change with the file, unless someone has chosen the thumbnail. */
export const POSTER_COLUMNS = ["thumbnail_url", "poster_colors", "generated_poster_url"] as const;
