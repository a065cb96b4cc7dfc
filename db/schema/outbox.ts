import type { Generated, Selectable } from "kysely";

/** ISO 8601 UTC. */
type Time = string;

/** A message to the operator about an alert, or to the reporter about a report. */
export interface OutboxTable {
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
}

export type OutboxRow = Selectable<OutboxTable>;
export type AlertNotice = OutboxRow & { alert_id: string; event: "raised" | "resolved" | "test" };
export type ReportNotice = OutboxRow & {
  report_id: string;
  event: "received" | "asked" | "decided" | "message";
};
