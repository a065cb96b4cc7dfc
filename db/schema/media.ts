import type { ColumnType, Generated } from "kysely";

/** Jobs, files and scans. */
export interface MediaTables {
  jobs: JobsTable;
  /** Worker machines that encode for the site, with their tokens. */
  workers: {
    id: Generated<number>;
    /** SHA-256 */
    token_hash: string;
    name: string;
    created_at: Time;
    last_seen_at: Time | null;
    jobs_done: Generated<number>;
    /** Why its last rejected result was rejected. */
    trouble: string | null;
  };
  /** One row. */
  queue_state: {
    id: ColumnType<1, never, never>;
    /** Null unless the queue is paused. */
    paused_at: Time | null;
  };
  media_files: MediaFilesTable;
  /** Files in the object store of STORAGE_URL. */
  stored_files: {
    bucket: "videos" | "thumbnails" | "documents";
    path: string;
    /** The key of the object. */
    object: string;
    bytes: number;
    /** Hexadecimal. */
    sha256: string;
    version: string;
    modified_ms: number;
    type: string;
  };
  /** One row. */
  storage: {
    id: ColumnType<1, never, never>;
    /** The sum of `media_files.bytes`. */
    bytes: number;
    /** When the disk was last compared with `media_files`; null before that. */
    checked_at: Time | null;
    /** When the last complete search for missing files began; null before that. */
    files_looked_at: Time | null;
    /** Also in `site.json` in the uploads folder. Empty before the first start. */
    site_id: string;
    /** Rises while the site runs. Also in `site.json`, so that an older copy of the database is recognized. */
    clock: number;
    /** 1 while all files are being moved back to the disk. */
    moving_to_disk: Generated<0 | 1>;
  };
  /** Videos with a file that was missing in the last search. */
  missing_files: {
    /** `videos.number`. */
    number: number;
  };
  scan_findings: ScanFindingsTable;
}

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
  /** The lowest runs first, see `features/processing/queue/kinds.ts`. */
  priority: number;
  state: Generated<JobState>;
  attempts: Generated<number>;
  run_after: Generated<Time>;
  worker: string | null;
  lease_until: Time | null;
  /** How often in a row the worker machine that ran it disappeared. */
  worker_losses: Generated<number>;
  /** 0 to 1 */
  progress: Generated<number>;
  /** Seconds of video processed per second. */
  speed: number | null;
  seconds_left: number | null;
  /** Why the last attempt failed; for a completed clean-up, why it kept the original. */
  reason: string | null;
  created_at: Generated<Time>;
  started_at: Time | null;
  finished_at: Time | null;
}

const MEDIA_KINDS = ["video", "source", "thumbnail", "derived"] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

export interface MediaFilesTable {
  bucket: "videos" | "thumbnails";
  /** The path in the bucket. It may be a folder of derived files, with `bytes` as their sum. */
  path: string;
  /** Null for a file that belongs to no video. */
  video_id: string | null;
  kind: MediaKind;
  bytes: number;
  /** 1 once all of its files are in the object store; 0 before that, below 0 while they are being moved. */
  stored: Generated<number>;
  /** 1 once it is known to have no metadata about location, device or author; 0 if that wasn't checked. */
  clean: Generated<0 | 1>;
}

/** The result of SCAN_COMMAND for a file, until someone has decided about it. */
export interface ScanFindingsTable {
  /** The video, or the row of `video_files` that replaces its file. */
  video_id: string;
  /** `unchecked`: the command returned no result, and runs again. */
  verdict: "hold" | "refuse" | "unchecked";
  /** The output of the command, or why there is no result. Untrusted. */
  reason: string;
  /** ISO 8601 UTC. */
  found_at: string;
}
