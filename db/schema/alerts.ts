import type { Selectable } from "kysely";

/** ISO 8601 UTC. */
type Time = string;

/** Each has a chapter in docs/runbook.md. */
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

/** What the operator has to know. */
export interface AlertsTable {
  id: string;
  kind: AlertKind;
  sentence: string;
  /** Of failed jobs: when the last of them failed. Of refused videos: when the last was scanned. Of the transfer: its month and budget. */
  until: Time | null;
  raised_at: Time;
  /** Null while it lasts. */
  resolved_at: Time | null;
}

export type AlertRow = Selectable<AlertsTable>;
