import type { Generated, Selectable } from "kysely";

/** Alerts, backups, the outbox, imports and templates. */
export interface OperationsTables {
  /** Files imported from folders on the server, including imports in progress. */
  imports: {
    /** The file's absolute path. */
    source: string;
    bytes: number;
    modified_ms: number;
    video_id: string;
    /** The path in the `videos` bucket; empty for a duplicate, because duplicates aren't copied. */
    target: string;
    /** The id of the importing process. */
    process: number;
    started_at: Generated<Time>;
    /** The video's id; null until the video's row is inserted. */
    finished_at: Time | null;
  };
  downloads: DownloadsTable;
  /** The backups in BACKUP_DIR. Times are ISO 8601 UTC. */
  backups: {
    id: Generated<number>;
    /** The scheduled time; null for a backup that someone requested. */
    due_at: string | null;
    /** The user who requested the backup. */
    user_id: string | null;
    state: Generated<"running" | "done" | "failed" | "interrupted">;
    /** The backup's folder in BACKUP_DIR, once it has been verified. */
    name: string | null;
    files: Generated<number>;
    bytes: Generated<number>;
    /** The size of the part that isn't hard-linked from an earlier backup. */
    added_bytes: Generated<number>;
    /** The number of files that were copied again because they were damaged in an earlier backup. */
    repaired: Generated<number>;
    /** Why it failed. */
    reason: string | null;
    started_at: Generated<string>;
    finished_at: string | null;
  };
  /** Problems that the operator has to know about. */
  alerts: {
    id: string;
    kind: AlertKind;
    message: string;
    /**
     * A value that identifies the occurrence: for failed jobs, when the last of them failed; for refused videos, when
     * the last of them was scanned; for the transfer alert, its month and budget.
     */
    until: Time | null;
    raised_at: Time;
    /** When the problem ended; null while it persists. */
    resolved_at: Time | null;
  };
  /** Messages to the operator about an alert or to a reporter about a report. */
  outbox: {
    /** The id that is sent with the message, so that the receiver can recognize duplicates. */
    id: string;
    /** Exactly one of these two columns is set. */
    alert_id: string | null;
    report_id: string | null;
    event: "raised" | "resolved" | "test" | "received" | "asked" | "decided" | "message";
    channel: "webhook" | "email";
    attempts: Generated<number>;
    /** When the message is due; null once it has arrived, or after the last attempt. */
    next_at: Time | null;
    delivered_at: Time | null;
    /** The reason why the last attempt failed. */
    reason: string | null;
  };
  /** Each user's upload templates. */
  upload_templates: {
    id: Generated<number>;
    user_id: string;
    name: string;
    description: Generated<string>;
    /** A category's id, or an empty string. */
    category: Generated<string>;
    /** Comma-separated. */
    tags: Generated<string>;
    /** 1 for the template with which the upload form starts. */
    is_default: Generated<0 | 1>;
    /** When the template was deleted (ISO 8601 UTC). Set while it can be restored. */
    deleted_at: string | null;
  };
  /** Saved views for the studio's list of videos. */
  saved_views: {
    id: Generated<number>;
    user_id: string;
    /** The name, which is unique per user regardless of case. */
    name: string;
    /** The query parameters, in the format of `manageHref`. */
    parameters: string;
  };
}

/** ISO 8601 UTC. */
type Time = string;

/** The kinds of alerts. docs/runbook.md has a section for each. */
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

/** Imports from a URL. */
export interface DownloadsTable {
  id: Generated<number>;
  user_id: string;
  address: string;
  /** A JSON object: {title, description, category, tags}. */
  texts: string;
  /** The status that the imported video gets. */
  status: "published" | "review";
  state: Generated<"waiting" | "running" | "done" | "failed" | "canceled">;
  /** Why it failed. */
  reason: string | null;
  video_id: string | null;
  created_at: Generated<Time>;
  /** When the import succeeded, failed or was canceled. */
  finished_at: Time | null;
  /** The version of the upload terms that was accepted for the import; null if that wasn't required. */
  terms: number | null;
}
