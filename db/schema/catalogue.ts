import type { ColumnType, Generated } from "kysely";

/** Series, tags, similar videos and statistics. */
export interface CatalogueTables {
  /** The totals for each video, without any information about who watched it. */
  watched_parts: {
    video_id: string;
    /** The number of views in which the video was played. */
    views: number;
    /**
     * For each twentieth of the video, the number of views in which that part was watched. A JSON list of 20 numbers.
     */
    parts: string;
  };
  /** The uploads folder's file system, as last measured on each day. */
  disk_days: {
    /** YYYY-MM-DD, UTC */
    day: string;
    used_bytes: number;
    /** The space that is still available to the site. */
    free_bytes: number;
  };
  /** The number of bytes of video files sent on each day. */
  transfer_days: {
    /** YYYY-MM-DD, UTC */
    day: string;
    bytes: number;
  };
  video_digests: {
    video_id: string;
    /** The digest of the uploaded file in hexadecimal. */
    sha256: string;
  };
  /** Perceptual fingerprints of videos; see `media/fingerprints`. */
  video_fingerprints: {
    video_id: string;
    seconds: number;
    /** The fingerprint; empty if too few frames have any detail. */
    hashes: Uint8Array;
  };
  /** Pairs of videos that look alike. The first video has the smaller id. */
  similar_videos: {
    first: string;
    second: string;
    /** When someone marked the two as different videos (ISO 8601 UTC). */
    dismissed_at: string | null;
  };
  tag_aliases: TagAliasesTable;
  /** Tag changes that apply to all videos; see `features/library/tags`. */
  tag_changes: {
    id: Generated<number>;
    /** The folded tags to be changed, as a JSON list. */
    tags: string;
    names: string;
    /** The new tag; null if the tags are removed. */
    target: string | null;
    /** The replaced rows of tag_aliases, as a JSON list. */
    aliases: Generated<string>;
    state: Generated<TagChangeState>;
    user_id: string | null;
    created_at: Generated<Time>;
  };
  /** A video's tags before and after a change, in the format of `videos.tags`. */
  tag_change_videos: {
    change_id: number;
    video_id: string;
    before: string;
    after: string | null;
  };
  /** Ordered playlists. */
  series: {
    id: Generated<number>;
    title: string;
    /** The last part of the series' URL. */
    slug: string;
    description: Generated<string>;
    visibility: Generated<SeriesVisibility>;
    /** Increases with each change. */
    version: Generated<number>;
    created_at: Generated<Time>;
    updated_at: Generated<Time>;
    /** When the series was deleted; null unless it is in the trash. */
    deleted_at: Time | null;
  };
  /** All slugs that a series has or has had. */
  series_slugs: {
    slug: string;
    series_id: number;
  };
  /** The videos in each series, including videos in the trash. */
  series_videos: {
    series_id: number;
    video_id: string;
    position: number;
  };
  /** The series on the home page. The table has at most one row. */
  featured_series: {
    id: ColumnType<1, 1, never>;
    series_id: number;
  };
}

/** Times are ISO 8601 UTC text. */
type Time = string;

export type SeriesVisibility = "public" | "studio";

/** An alias of a tag. `alias` and `tag` are folded; `label` is the tag as displayed. */
export interface TagAliasesTable {
  alias: string;
  tag: string;
  label: string;
}

export type TagChangeState = "running" | "done" | "undoing" | "undone";
