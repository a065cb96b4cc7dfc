import type { Generated } from "kysely";

/** ISO 8601 UTC. */
type Time = string;

/** Another name of a tag. Alias and tag are folded; `label` is the tag as it is written. */
export interface TagAliasesTable {
  alias: string;
  tag: string;
  label: string;
}

export type TagChangeState = "running" | "done" | "undoing" | "undone";

/** A change of tags in all videos, see `features/library/tags`. */
export interface TagChangesTable {
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
}

/** The tags of a video before and after a change, as `videos.tags` has them. */
export interface TagChangeVideosTable {
  change_id: number;
  video_id: string;
  before: string;
  after: string | null;
}
