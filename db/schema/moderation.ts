import type { Generated, GeneratedAlways } from "kysely";

/** ISO 8601 UTC. */
type Time = string;

const HOLD_REASONS = [
  "report",
  "removed",
  "consent",
  "block-list",
  "user-blocked",
  "comparing",
  "scan",
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** What moderators and rules of the site did. Append-only. */
export interface ModerationLogTable {
  id: GeneratedAlways<number>;
  at: Time;
  action: string;
  report_id: string | null;
  video_id: string | null;
  user_id: string | null;
  /** A JSON object without names and without texts that somebody typed. */
  detail: string;
}

/** A report that is preserved, with its texts and its videos. */
export interface PreservedReportsTable {
  report_id: string;
  until: Time;
}

/** A video that such a report preserves. */
export interface PreservedVideosTable {
  video_id: string;
  report_id: string;
}

/** Why a video isn't public, one cause a row. The video may be in the trash, or gone. */
export interface VideoHoldsTable {
  video_id: string;
  reason: HoldReason;
  /** Which report, blocked account or entry of the block list, or what is wrong with the record; else empty. */
  source_id: Generated<string>;
  since: Time;
}
