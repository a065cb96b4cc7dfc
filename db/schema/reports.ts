import type { Generated, Selectable } from "kysely";

/** ISO 8601 UTC. */
type Time = string;

export const REPORT_KINDS = ["copyright", "consent", "under-age", "private", "other"] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** open: waits for a moderator. asked: waits for the reporter. */
export type ReportState = "open" | "asked" | "closed";

/** What closes a report for one of its videos. */
export type VideoDecision = "keep" | "remove" | "restore";

/** What closes a report. not-here: none of its videos is on the site. */
export type ReportDecision = VideoDecision | "not-here" | "withdrawn";

/** What somebody reported. */
export interface ReportsTable {
  id: string;
  kind: ReportKind;
  state: Generated<ReportState>;
  /** The gravest decision on one of its videos; null if there is none. */
  decision: ReportDecision | null;
  received_at: Time;
  due_at: Time;
  closed_at: Time | null;
  /** When what was typed was deleted. */
  erased_at: Time | null;
  /** Everything that was typed, encrypted; null once it is erased. */
  box: string | null;
  /** Null until an email was sent, "sent" until its link was opened. */
  mail_link: "sent" | "opened" | null;
  /** The alerts that included it; null until then, and again once it is reopened. */
  urgent_alert_id: string | null;
  due_alert_id: string | null;
  overdue_alert_id: string | null;
}

/** The videos that a report names; they may be gone. Unlike the texts, they stay when the report is erased. */
export interface ReportVideosTable {
  report_id: string;
  video_id: string;
  /** Null while the video waits for a decision. */
  decision: VideoDecision | null;
  decided_at: Time | null;
  /** When the video got another film after it was reported. */
  film_changed_at: Time | null;
}

/** What the reporter and the moderators wrote to each other; gone once the report is erased. */
export interface ReportMessagesTable {
  id: string;
  report_id: string;
  author: "reporter" | "moderator" | "site";
  sent_at: Time;
  /** Encrypted. */
  box: string;
}

export type ReportRow = Selectable<ReportsTable>;
export type ReportMessageRow = Selectable<ReportMessagesTable>;
