import type { ColumnType, Generated } from "kysely";

/** Jobs, files and scans. */
export interface MediaTables {
  jobs: JobsTable;
  /** The worker machines that encode videos for the site, and their tokens. */
  workers: {
    id: Generated<number>;
    /** SHA-256 */
    token_hash: string;
    name: string;
    created_at: Time;
    last_seen_at: Time | null;
    jobs_done: Generated<number>;
    /** The reason why the site most recently rejected one of the worker's results. */
    trouble: string | null;
  };
  /** One row. */
  queue_state: {
    id: ColumnType<1, never, never>;
    /** When the queue was paused; null unless it is paused. */
    paused_at: Time | null;
  };
  media_files: MediaFilesTable;
  /** The files in the object store at STORAGE_URL. */
  stored_files: {
    bucket: "videos" | "thumbnails" | "documents";
    path: string;
    /** The object key. */
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
    /** When the disk was last compared with `media_files`; null if it hasn't been compared yet. */
    checked_at: Time | null;
    /** When the last complete search for missing files began; null if there hasn't been one. */
    files_looked_at: Time | null;
    /** The site's id, which is also in `site.json` in the uploads folder. Empty before the first start. */
    site_id: string;
    /**
     * The site's clock, which advances while the site is running. It is also in `site.json`, so that an older copy of
     * the database is recognized.
     */
    clock: number;
    /** 1 while all files are being moved back to the disk. */
    moving_to_disk: Generated<0 | 1>;
  };
  /** Videos with a file that was missing during the last search. */
  missing_files: {
    /** The video's `videos.number`. */
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
  /** The job with the lowest value runs first; see `features/processing/queue/kinds.ts`. */
  priority: number;
  state: Generated<JobState>;
  attempts: Generated<number>;
  run_after: Generated<Time>;
  worker: string | null;
  lease_until: Time | null;
  /** The number of consecutive attempts during which the worker machine disappeared. */
  worker_losses: Generated<number>;
  /** 0 to 1 */
  progress: Generated<number>;
  /** The number of seconds of video processed per second. */
  speed: number | null;
  seconds_left: number | null;
  /** The reason why the last attempt failed or, for a completed cleanup, why it kept the original. */
  reason: string | null;
  created_at: Generated<Time>;
  started_at: Time | null;
  finished_at: Time | null;
}

const MEDIA_KINDS = ["video", "source", "thumbnail", "derived"] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

export interface MediaFilesTable {
  bucket: "videos" | "thumbnails";
  /** The path in the bucket. It may be a folder of derived files; `bytes` is then their total size. */
  path: string;
  /** The video that owns the file; null if the file doesn't belong to any. */
  video_id: string | null;
  kind: MediaKind;
  bytes: number;
  /** 1 once all of the entry's files are in the object store; 0 before that; negative while they are being moved. */
  stored: Generated<number>;
  /**
   * 1 once the file is known not to contain metadata about the location, device or author; 0 if that wasn't checked.
   */
  clean: Generated<0 | 1>;
}

/** The result of running SCAN_COMMAND on a file, which is kept until someone has made a decision about the file. */
export interface ScanFindingsTable {
  /** The id of the video, or of the row in `video_files` that will replace its file. */
  video_id: string;
  /** `unchecked`: the command returned no result and will be run again. */
  verdict: "hold" | "refuse" | "unchecked";
  /** The command's output, or the reason why there is no result. It is untrusted. */
  reason: string;
  /** ISO 8601 UTC. */
  found_at: string;
}
