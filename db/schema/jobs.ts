import type { ColumnType, Generated } from "kysely";

/** ISO 8601 UTC */
type Time = string;

export const JOB_KINDS = [
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
  /** The lower runs first, see `media/jobs/kinds.ts`. */
  priority: number;
  state: Generated<JobState>;
  attempts: Generated<number>;
  run_after: Generated<Time>;
  worker: string | null;
  lease_until: Time | null;
  /** 0 to 1 */
  progress: Generated<number>;
  /** Seconds of video made in a second. */
  speed: number | null;
  seconds_left: number | null;
  /** Why the last attempt failed. */
  reason: string | null;
  created_at: Generated<Time>;
  started_at: Time | null;
  finished_at: Time | null;
}

/** One row. */
export interface QueueStateTable {
  id: ColumnType<1, never, never>;
  /** Null while jobs are taken from the queue. */
  paused_at: Time | null;
}
