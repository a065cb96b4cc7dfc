import type { ColumnType, Generated, GeneratedAlways, Insertable, Selectable } from "kysely";
import type { AccountsTables } from "./schema/accounts";
import type { CatalogueTables } from "./schema/catalogue";
import type { JobsTable, MediaTables } from "./schema/media";
import type { ModerationTables } from "./schema/moderation";
import type { OperationsTables } from "./schema/operations";

export { ROLES, type Role } from "./schema/accounts";
export type { MediaFilesTable, MediaKind } from "./schema/media";
export { JOB_KINDS, type JobKind, type JobState } from "./schema/media";

import type { VideoFilesTable } from "./video-files";

/** Times are ISO 8601 UTC text, as `new Date().toISOString()` writes them. */
type Time = string;

export const VIDEO_STATUSES = ["published", "hidden", "review"] as const;
export type VideoStatus = (typeof VIDEO_STATUSES)[number];

export interface VideosTable {
  id: Generated<string>;
  /** Increases with each inserted row. */
  number: Generated<number>;
  title: string;
  description: Generated<string>;
  /** An id or a legacy value from `shared/category-list.ts`. Other tools may write any text. */
  category: string;
  /** A JSON list of strings, or null. */
  tags: string | null;
  /** The duration as minutes:seconds, such as 5:30 or 75:30. */
  duration: Generated<string>;
  /** Empty while there is no playable file. */
  video_url: Generated<string>;
  thumbnail_url: string | null;
  uploaded_by: string | null;
  status: Generated<VideoStatus>;
  views: Generated<number>;
  created_at: Generated<Time>;
  updated_at: Generated<Time>;
  /** The `duration` in seconds. */
  seconds: GeneratedAlways<number>;
  /**
   * Sorts like `created_at`, and by `number` if the times are equal. It exceeds the precision of a JavaScript number,
   * so use it only in SQL, or read it as a bigint or text.
   */
  sort_key: GeneratedAlways<number>;
  /** The size of the video's files. */
  bytes: Generated<number>;
  /** The uploaded file; set if `video_url` is still empty or is a converted file. */
  source_url: string | null;
  /**
   * When the uploaded file was removed to save space; null if it wasn't removed, or if a copy contains everything that
   * was in it.
   */
  source_removed_at: Time | null;
  /** The HLS playlist. */
  hls_url: string | null;
  /** The settings with which the stream was encoded; see ladderSettings(). Null if unknown. */
  hls_settings: string | null;
  /** The storyboard: a WebVTT file whose cues point to regions of sprite sheets. */
  storyboard_url: string | null;
  /** The hover preview. */
  preview_url: string | null;
  /** A JSON list; see captions.ts. Null until the file has been searched for captions. */
  captions: string | null;
  /** The colors of the thumbnail's four quarters; see posterColors(). Null until they are known. */
  poster_colors: string | null;
  /** The integrated loudness in LUFS (EBU R128). Null until it has been measured; -70 if there is no audio. */
  loudness: number | null;
  /** The true peak in dBTP. Null until it has been measured, and for silence. */
  true_peak: number | null;
  /** The thumbnail that a job created. Any other thumbnail was chosen by someone. */
  generated_poster_url: string | null;
  /** The `{userId}/{uploadId}` of the original from which the video's file was trimmed; null if it isn't trimmed. */
  cut_of: string | null;
  /** The start and end of the trim, in seconds within the original. */
  cut_start: number | null;
  cut_end: number | null;
  /** When the video is scheduled to be published; null if it isn't scheduled. */
  publish_at: Time | null;
  /** When the video is scheduled to be hidden; null if it isn't scheduled. */
  unpublish_at: Time | null;
  /** When a draft started waiting for an editor; null while it is waiting for its uploader. */
  ready_at: Time | null;
  /** 1 while `video_holds` has a row for the video. Triggers set it. */
  held: Generated<0 | 1>;
  /**
   * Whether visitors can open the video's page and files, and whether the video is in the public lists. SQLite
   * generates both columns from the status, files and holds (baseline-catalogue.ts), which `app/features/visibility`
   * writes.
   */
  public: GeneratedAlways<0 | 1>;
  listed: GeneratedAlways<0 | 1>;
}

export interface Schema
  extends AccountsTables,
    CatalogueTables,
    MediaTables,
    ModerationTables,
    OperationsTables {
  videos: VideosTable;
  /** A table with at most one row, which is written while the database is replicated. */
  heartbeat: {
    id: ColumnType<1, never, never>;
    at: Time;
  };
  /** A table with one row, in which the projector counts the changes to the catalogue and to the view counts. */
  catalogue_version: {
    id: ColumnType<1, never, never>;
    catalogue: number;
    views: number;
  };
  /** The totals for each combination of status, listing and stored category. The projector writes the rows. */
  video_totals: {
    status: VideoStatus;
    listed: 0 | 1;
    category: string;
    videos: number;
    /** The number of videos with at least one view. */
    viewed: number;
    views: number;
    bytes: number;
  };
  view_days: {
    video_id: string;
    /** YYYY-MM-DD, UTC */
    day: string;
    views: number;
  };
  deleted_videos: {
    id: string;
    title: string;
    /** The deleted row, as a JSON object. */
    row: string;
    deleted_by: string | null;
    deleted_at: Time;
    /** The size of the files at the time of the deletion. */
    bytes: Generated<number>;
    /** A generated column with the value from `row`. */
    uploaded_by: GeneratedAlways<string | null>;
  };
  video_files: VideoFilesTable;
  /**
   * The labels and the order of the categories. The table is empty if the defaults in `shared/category-list.ts` are
   * used.
   */
  category_names: {
    id: string;
    label: string;
    position: number;
  };
}

export type VideoRow = Selectable<VideosTable>;
export type NewVideoRow = Insertable<VideosTable>;
export type JobRow = Selectable<JobsTable>;
