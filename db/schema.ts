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
  /** Rises with each row that is entered. */
  number: Generated<number>;
  title: string;
  description: Generated<string>;
  /** An id or a legacy name of `shared/category-list.ts`; any other text is possible. */
  category: string;
  /** A JSON list of texts, or null. */
  tags: string | null;
  /** minutes:seconds, such as 5:30 or 75:30. */
  duration: Generated<string>;
  /** Empty while there is no file that can be played. */
  video_url: Generated<string>;
  thumbnail_url: string | null;
  uploaded_by: string | null;
  status: Generated<VideoStatus>;
  views: Generated<number>;
  created_at: Generated<Time>;
  updated_at: Generated<Time>;
  /** `duration` as a number. */
  seconds: GeneratedAlways<number>;
  /**
   * Sorts as `created_at`, of equals the later entered. Too long for a number of JavaScript: leave it
   * inside SQL, or read it as a bigint or text.
   */
  sort_key: GeneratedAlways<number>;
  /** What the video's files take on disk. */
  bytes: Generated<number>;
  /** The file as it came, where `video_url` is empty yet or names a converted one. */
  source_url: string | null;
  /** When that file was removed for the room that it took; null where a copy has all of it. */
  source_removed_at: Time | null;
  /** The adaptive playlist. */
  hls_url: string | null;
  /** What it was made with, see ladderSettings(); null if unknown. */
  hls_settings: string | null;
  /** WebVTT whose cues point into sprites. */
  storyboard_url: string | null;
  /** The short clip that a card plays. */
  preview_url: string | null;
  /** A JSON list, see captions.ts; null until they have been looked for. */
  captions: string | null;
  /** Of the thumbnail's four quarters, see posterColors(); null while nobody knows them. */
  poster_colors: string | null;
  /** LUFS (EBU R128) of the sound; null until it is measured, -70 where there is none. */
  loudness: number | null;
  /** Its highest peak in dBTP; null until it is measured, and for silence. */
  true_peak: number | null;
  /** The thumbnail that a job has made; any other was chosen by somebody. */
  generated_poster_url: string | null;
  /** `{userId}/{uploadId}` of the file that the video's file is a cut of; null for most. */
  cut_of: string | null;
  /** From which of its seconds to which. */
  cut_start: number | null;
  cut_end: number | null;
  /** When a video that is not published will be; null once it was, and for most. */
  publish_at: Time | null;
  /** When a published video will be hidden. */
  unpublish_at: Time | null;
  /** Since when a draft waits for an editor; null while it waits for who uploaded it. */
  ready_at: Time | null;
  /** 1 while `video_holds` has a row for it; a trigger's. */
  held: Generated<0 | 1>;
  /**
   * Whether visitors can open its page and files, and whether it is in the public lists: columns that SQLite
   * generates from status, times and holds (baseline-catalogue.ts); `app/features/visibility` writes those.
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
  /** One row, as long as the database is copied. */
  heartbeat: {
    id: ColumnType<1, never, never>;
    at: Time;
  };
  /** One row that the projector keeps: how often the catalogue and the view counts have changed. */
  catalogue_version: {
    id: ColumnType<1, never, never>;
    catalogue: number;
    views: number;
  };
  /** One row for each status, whether it is listed, and stored category, kept by the projector. */
  video_totals: {
    status: VideoStatus;
    listed: 0 | 1;
    category: string;
    videos: number;
    /** Of them with views. */
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
    /** The row as it was, a JSON object. */
    row: string;
    deleted_by: string | null;
    deleted_at: Time;
    /** What the files took on disk when they were deleted. */
    bytes: Generated<number>;
    /** As the row has it. */
    uploaded_by: GeneratedAlways<string | null>;
  };
  video_files: VideoFilesTable;
  /** What a category is called; empty while all are called as in `shared/category-list.ts`. */
  category_names: {
    id: string;
    label: string;
    position: number;
  };
}

export type VideoRow = Selectable<VideosTable>;
export type NewVideoRow = Insertable<VideosTable>;
export type JobRow = Selectable<JobsTable>;
