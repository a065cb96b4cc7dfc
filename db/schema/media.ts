import type { ColumnType, Generated } from "kysely";

/** Jobs, files and scans. */
export interface MediaTables {
  jobs: JobsTable;
  /** A machine that converts for the site, and its token. */
  workers: {
    id: Generated<number>;
    /** SHA-256 */
    token_hash: string;
    name: string;
    created_at: Time;
    last_seen_at: Time | null;
    jobs_done: Generated<number>;
    /** Why the last result that was refused was refused. */
    trouble: string | null;
  };
  /** One row. */
  queue_state: {
    id: ColumnType<1, never, never>;
    /** Null while jobs are taken from the queue. */
    paused_at: Time | null;
  };
  media_files: MediaFilesTable;
  /** A file whose bytes are in the store of STORAGE_URL. */
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
  /** One row: the bytes of all media_files. */
  storage: {
    id: ColumnType<1, never, never>;
    bytes: number;
    /** When the disk was last walked; null when it never was. */
    checked_at: Time | null;
    /** When the last complete look for missing files began; null when there was none. */
    files_looked_at: Time | null;
    /** Repeated in `site.json` of the uploads folder; empty before the first start. */
    site_id: string;
    /** Rises while the site runs, and is repeated there too: a copy of the database is behind. */
    clock: number;
    /** 1 once all files are being brought back to the disk. */
    moving_to_disk: Generated<0 | 1>;
  };
  /** Videos of which a file was not there when it was last looked for. */
  missing_files: {
    /** As in `videos`. */
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

const MEDIA_KINDS = ["video", "source", "thumbnail", "derived"] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

export interface MediaFilesTable {
  bucket: "videos" | "thumbnails";
  /** Inside the bucket. May be a folder of derived files, whose bytes are the sum. */
  path: string;
  /** Null for a file that no video claims. */
  video_id: string | null;
  kind: MediaKind;
  bytes: number;
  /** 1 once all of its files are in the store; 0 until then, below 0 while they are being moved. */
  stored: Generated<number>;
  /** 1 once it has no metadata about its place, device or author; 0 where nobody has looked. */
  clean: Generated<0 | 1>;
}

/** What SCAN_COMMAND said about a file, until somebody has decided about it. */
export interface ScanFindingsTable {
  /** The video, or the row of `video_files` that replaces its file. */
  video_id: string;
  /** `unchecked`: the command came to no result, and runs again. */
  verdict: "hold" | "refuse" | "unchecked";
  /** What the command printed, or why there is no result. Not trusted. */
  reason: string;
  /** ISO 8601 UTC. */
  found_at: string;
}
