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
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** What moderators decided, each entry with the hash of the one before. Only added to. */
export interface ModerationLogTable {
  id: GeneratedAlways<number>;
  at: Time;
  action: string;
  report_id: string | null;
  video_id: string | null;
  user_id: string | null;
  /** A JSON object without names and without texts that somebody typed. */
  detail: string;
  /** SHA-256 in hexadecimal digits, as is `hash`; empty for the first. */
  previous: string;
  hash: string;
}

/** Why a video is not published, whoever asks for it; the video may be in the trash, or gone. */
export interface VideoHoldsTable {
  video_id: string;
  reason: HoldReason;
  /** The id of the report; empty for a reason that a video has only once. */
  source_id: Generated<string>;
  since: Time;
  /** 1 when it was public, or has become due since: it is published when its last hold goes. */
  was_published: Generated<0 | 1>;
}

/** A person has looked at a video because of a kind of report. */
export interface VideoChecksTable {
  video_id: string;
  kind: string;
  user_id: string | null;
  checked_at: Time;
}
