import type { ColumnType, Generated } from "kysely";

/** Series, tags, similar videos and statistics. */
export interface CatalogueTables {
  /** What is counted of a video, without any mark of who has watched it. */
  watched_parts: {
    video_id: string;
    /** Views in which it was played. */
    views: number;
    /** In how many of them each twentieth of the video was watched, a JSON list of 20. */
    parts: string;
  };
  /** The file system of the uploads, as it was found last on a day. */
  disk_days: {
    /** YYYY-MM-DD, UTC */
    day: string;
    used_bytes: number;
    /** What the site may still use of it. */
    free_bytes: number;
  };
  /** What was sent of video files on a day, to whomever. */
  transfer_days: {
    /** YYYY-MM-DD, UTC */
    day: string;
    bytes: number;
  };
  video_digests: {
    video_id: string;
    /** Of the file that was uploaded, hexadecimal. */
    sha256: string;
  };
  /** What a video looks like, see `media/fingerprints`. */
  video_fingerprints: {
    video_id: string;
    seconds: number;
    /** Empty where too few of its pictures show anything. */
    hashes: Uint8Array;
  };
  /** Two videos that look alike; the first has the smaller id. */
  similar_videos: {
    first: string;
    second: string;
    /** When somebody said that they are not the same, ISO 8601 UTC. */
    dismissed_at: string | null;
  };
  tag_aliases: TagAliasesTable;
  /** A change of tags in all videos, see `features/library/tags`. */
  tag_changes: {
    id: Generated<number>;
    /** Folded, a JSON list. */
    tags: string;
    names: string;
    /** What they become; null for nothing. */
    target: string | null;
    /** The rows of tag_aliases that it has replaced, a JSON list. */
    aliases: Generated<string>;
    state: Generated<TagChangeState>;
    user_id: string | null;
    created_at: Generated<Time>;
  };
  /** The tags of a video before and after a change, as `videos.tags` has them. */
  tag_change_videos: {
    change_id: number;
    video_id: string;
    before: string;
    after: string | null;
  };
  /** An ordered playlist. */
  series: {
    id: Generated<number>;
    title: string;
    /** What its address ends in. */
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
  /** The videos of a series, those in the trash included. */
  series_videos: {
    series_id: number;
    video_id: string;
    position: number;
  };
  /** The series that home shows; no row for none. */
  featured_series: {
    id: ColumnType<1, 1, never>;
    series_id: number;
  };
}

/** Times are ISO 8601 UTC text. */
type Time = string;

export type SeriesVisibility = "public" | "studio";

/** Another name of a tag. Alias and tag are folded; `label` is the tag as it is written. */
export interface TagAliasesTable {
  alias: string;
  tag: string;
  label: string;
}

export type TagChangeState = "running" | "done" | "undoing" | "undone";
