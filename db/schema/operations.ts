import type { Generated, Selectable } from "kysely";

/** Alerts, backups, the outbox, imports and templates. */
export interface OperationsTables {
  /** Files of folders of the server that have become videos, and those that are about to. */
  imports: {
    /** The absolute path of the file. */
    source: string;
    bytes: number;
    modified_ms: number;
    video_id: string;
    /** Inside the bucket videos; empty for a duplicate, of which nothing was taken. */
    target: string;
    /** The id of the process that imports it. */
    process: number;
    started_at: Generated<Time>;
    /** Null while the row of the video is not there yet. */
    finished_at: Time | null;
  };
  downloads: DownloadsTable;
  /** What became of each backup into BACKUP_DIR. Times are ISO 8601 UTC. */
  backups: {
    id: Generated<number>;
    /** The time of the timetable that it was made for; null for one that somebody asked for. */
    due_at: string | null;
    /** Who asked for it. */
    user_id: string | null;
    state: Generated<"running" | "done" | "failed" | "interrupted">;
    /** Its folder below BACKUP_DIR, once it is proved. */
    name: string | null;
    files: Generated<number>;
    bytes: Generated<number>;
    /** What of them was not linked from an earlier one. */
    added_bytes: Generated<number>;
    /** Files of an earlier one that were damaged, and copied again. */
    repaired: Generated<number>;
    /** Why it failed. */
    reason: string | null;
    started_at: Generated<string>;
    finished_at: string | null;
  };
  /** What the operator has to know. */
  alerts: {
    id: string;
    kind: AlertKind;
    message: string;
    /** Of failed jobs: when the last of them failed. Of refused videos: when the last was scanned. Of the transfer: its month and budget. */
    until: Time | null;
    raised_at: Time;
    /** Null while it lasts. */
    resolved_at: Time | null;
  };
  /** A message to the operator about an alert, or to the reporter about a report. */
  outbox: {
    /** What a receiver recognizes a second copy by. */
    id: string;
    /** Exactly one of these two is set. */
    alert_id: string | null;
    report_id: string | null;
    event: "raised" | "resolved" | "test" | "received" | "asked" | "decided" | "message";
    channel: "webhook" | "email";
    attempts: Generated<number>;
    /** Null once it has arrived, or after the last attempt. */
    next_at: Time | null;
    delivered_at: Time | null;
    /** Why the last attempt failed. */
    reason: string | null;
  };
  /** Texts that a user begins uploads with. */
  upload_templates: {
    id: Generated<number>;
    user_id: string;
    name: string;
    description: Generated<string>;
    /** An id, or empty. */
    category: Generated<string>;
    /** Separated by commas. */
    tags: Generated<string>;
    /** 1 for what the form begins with by itself. */
    is_default: Generated<0 | 1>;
    /** ISO 8601 UTC; null unless it can be restored. */
    deleted_at: string | null;
  };
  /** Addresses of the studio's list that a user has named. */
  saved_views: {
    id: Generated<number>;
    user_id: string;
    /** Unique for its user, without regard to case. */
    name: string;
    /** Of the address, as `manageHref` writes them. */
    parameters: string;
  };
}

/** ISO 8601 UTC. */
type Time = string;

/** Each has a section in docs/how-to/runbook.md. */
export const ALERT_KINDS = [
  "disk",
  "jobs",
  "backup-failed",
  "backup-old",
  "consent",
  "removals",
  "store",
  "reports-urgent",
  "reports-due",
  "reports-overdue",
  "reports-limit",
  "scan-refused",
  "scan-unchecked",
  "transfer-near",
  "transfer-over",
] as const;

export type AlertKind = (typeof ALERT_KINDS)[number] | "test";

export type AlertRow = Selectable<OperationsTables["alerts"]>;

export type BackupRow = Selectable<OperationsTables["backups"]>;

export type OutboxRow = Selectable<OperationsTables["outbox"]>;
export type AlertNotice = OutboxRow & { alert_id: string; event: "raised" | "resolved" | "test" };
export type ReportNotice = OutboxRow & {
  report_id: string;
  event: "received" | "asked" | "decided" | "message";
};

/** Videos that the site fetches from an address. */
export interface DownloadsTable {
  id: Generated<number>;
  user_id: string;
  address: string;
  /** {title, description, category, tags}, JSON */
  texts: string;
  /** What the video becomes. */
  status: "published" | "review";
  state: Generated<"waiting" | "running" | "done" | "failed" | "cancelled">;
  /** Why it failed. */
  reason: string | null;
  video_id: string | null;
  created_at: Generated<Time>;
  /** When it was done, failed or was cancelled. */
  finished_at: Time | null;
  /** The version of the uploaders' terms that was accepted with it; null where none was asked for. */
  terms: number | null;
}
