import type { ColumnType, Generated } from "kysely";

/** ISO 8601 UTC */
type Time = string;

export const JOB_KINDS = [
  "scan",
  "transcode",
  "captions",
  "poster",
  "storyboard",
  "preview",
  "loudness",
  "ladder",
  "cleanup",
  "codecs",
  "fingerprint",
] as const;
export type JobKind = (typeof JOB_KINDS)[number];
export type JobState = "waiting" | "running" | "done" | "failed";

export interface JobsTable {
  id: Generated<number>;
  video_id: string;
  kind: JobKind;
  /** The lower runs first, see `features/processing/queue/kinds.ts`. */
  priority: number;
  state: Generated<JobState>;
  attempts: Generated<number>;
  run_after: Generated<Time>;
  worker: string | null;
  lease_until: Time | null;
  /** How often in a row a worker on another machine has lost it. */
  worker_losses: Generated<number>;
  /** 0 to 1 */
  progress: Generated<number>;
  /** Seconds of video made in a second. */
  speed: number | null;
  seconds_left: number | null;
  /** Why the last attempt failed; of a clean-up that is done, why it kept the original. */
  reason: string | null;
  created_at: Generated<Time>;
  started_at: Time | null;
  finished_at: Time | null;
}

/** A machine that converts for the site, and its token. */
export interface WorkersTable {
  id: Generated<number>;
  /** SHA-256 */
  token_hash: string;
  name: string;
  created_at: Time;
  last_seen_at: Time | null;
  jobs_done: Generated<number>;
  /** Why the last result that was refused was refused. */
  trouble: string | null;
}

/** One row. */
export interface QueueStateTable {
  id: ColumnType<1, never, never>;
  /** Null while jobs are taken from the queue. */
  paused_at: Time | null;
}
