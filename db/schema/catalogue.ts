import type { ColumnType, Generated } from "kysely";

/** Series, tags, similar videos and statistics. */
export interface CatalogueTables {
  /** Totals for each video, with nothing about who watched it. */
  watched_parts: {
    video_id: string;
    /** The number of views in which it was played. */
    views: number;
    /** For each twentieth of the video, the number of views in which it was watched: a JSON list of 20. */
    parts: string;
  };
  /** The file system of the uploads, as last measured on each day. */
  disk_days: {
    /** YYYY-MM-DD, UTC */
    day: string;
    used_bytes: number;
    /** The space that the site may still use. */
    free_bytes: number;
  };
  /** Bytes of video files that were sent on each day. */
  transfer_days: {
    /** YYYY-MM-DD, UTC */
    day: string;
    bytes: number;
  };
  video_digests: {
    video_id: string;
    /** The digest of the uploaded file, hexadecimal. */
    sha256: string;
  };
  /** Perceptual fingerprints of videos, see `media/fingerprints`. */
  video_fingerprints: {
    video_id: string;
    seconds: number;
    /** Empty if too few frames have any detail. */
    hashes: Uint8Array;
  };
  /** Pairs of videos that look alike. The first has the smaller id. */
  similar_videos: {
    first: string;
    second: string;
    /** When someone marked them as different videos, ISO 8601 UTC. */
    dismissed_at: string | null;
  };
  tag_aliases: TagAliasesTable;
  /** Changes of tags in all videos, see `features/library/tags`. */
  tag_changes: {
    id: Generated<number>;
    /** The folded tags, a JSON list. */
    tags: string;
    names: string;
    /** The new tag; null if they are removed. */
    target: string | null;
    /** The replaced rows of tag_aliases, a JSON list. */
    aliases: Generated<string>;
    state: Generated<TagChangeState>;
    user_id: string | null;
    created_at: Generated<Time>;
  };
  /** The tags of a video before and after a change, in the format of `videos.tags`. */
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
    /** The last part of its URL. */
    slug: string;
    description: Generated<string>;
    visibility: Generated<SeriesVisibility>;
    /** Rises with each change. */
    version: Generated<number>;
    created_at: Generated<Time>;
    updated_at: Generated<Time>;
    /** Null unless it is in the trash. */
    deleted_at: Time | null;
  };
  /** Every slug that a series has or had. */
  series_slugs: {
    slug: string;
    series_id: number;
  };
  /** The videos of each series, including those in the trash. */
  series_videos: {
    series_id: number;
    video_id: string;
    position: number;
  };
  /** At most one row: the series on the home page. */
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
