import type { Generated } from "kysely";

/** ISO 8601 UTC. */
type Time = string;

/** What those who work on a draft write to each other. */
export interface ReviewNotesTable {
  id: Generated<number>;
  video_id: string;
  user_id: string | null;
  text: string;
  created_at: Time;
}

/** A link with which anybody sees a video that is not published, until it is revoked. */
export interface PreviewLinksTable {
  /** SHA-256 of the token in the link. */
  token_hash: string;
  video_id: string;
  made_by: string | null;
  created_at: Time;
  views: Generated<number>;
  last_viewed_at: Time | null;
}
