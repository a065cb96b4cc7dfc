import { randomUUID } from "node:crypto";
import { isPreservedReport } from "~/media/files/preserved.server";
import { decrypt, encrypt } from "~/platform/encryption.server";
import { settings } from "~/platform/settings.server";
import { prepared } from "~db/client.server";
import { enqueueMessage } from "~db/outbox.server";
import { requireTransaction } from "~db/run-query.server";
import type {
  ReportDecision,
  ReportKind,
  ReportMessageRow,
  ReportRow,
  ReportState,
} from "~db/schema/moderation";
import type { ReportNotice } from "~db/schema/operations";
import { addReportVideos, type NamedVideo, videosOf } from "./report-videos.server";

/**
 * The database rows for reports. Functions that change something are synchronous and must be called in a transaction,
 * so that the change and its log entry are stored together.
 */

const HOUR_MS = 3_600_000;
/** The kinds of reports that are due within 48 hours and, if REPORT_HIDE is on, hide their videos. */
export const URGENT_KINDS: readonly ReportKind[] = ["consent", "under-age"];
/** The number of reports erased in one batch. Erasing one takes a fraction of a millisecond. */
const ERASE_BATCH_SIZE = 100;

/** A report; times are in ISO 8601 format (UTC). */
export interface Report {
  id: string;
  kind: ReportKind;
  /** Empty if no video URL was recognized and no moderator has added a video. */
  videos: NamedVideo[];
  state: ReportState;
  /** The most severe decision about one of the report's videos; null if there is none. */
  decision: ReportDecision | null;
  receivedAt: string;
  dueAt: string;
  closedAt: string | null;
  erasedAt: string | null;
  /** Null until an email has been sent; "sent" until its link has been opened. */
  mailLink: ReportRow["mail_link"];
  /** Null once the report has been erased; "unreadable" if the secret needed to decrypt it is missing. */
  payload: ReportPayload | "unreadable" | null;
}

export interface ReportMessage {
  id: string;
  author: ReportMessageRow["author"];
  sentAt: string;
  /** Undefined if the secret needed to decrypt the text is missing. */
  text: string | undefined;
}

/** Returns a report's deadline (ISO 8601, UTC). */
function dueAt(kind: ReportKind, receivedAt: number): string {
  const ms = URGENT_KINDS.includes(kind) ? 48 * HOUR_MS : settings().reportDeadlineMs;
  return new Date(receivedAt + ms).toISOString();
}

/**
 * Stores a report and enqueues its confirmation email. Does nothing if a report with this id exists.
 *
 * @returns whether it was stored.
 * @throws if called outside of a transaction, like all functions below that change something.
 */
export function createReport(
  report: { id: string; kind: ReportKind; videos: readonly string[]; payload: ReportPayload },
  now = Date.now(),
): boolean {
  requireTransaction();
  const { id, kind, videos, payload } = report;
  const { changes } = prepared(
    `INSERT INTO reports (id, kind, received_at, due_at, payload)
     VALUES (@id, @kind, @at, @due, @payload) ON CONFLICT (id) DO NOTHING`,
  ).run({
    ...{ id, kind, at: new Date(now).toISOString() },
    due: dueAt(kind, now),
    payload: encryptReport(payload),
  });
  if (changes === 0) return false;
  addReportVideos(id, videos);
  enqueueEmail(id, "received", now);
  return true;
}

export function hasReport(id: string): boolean {
  return prepared("SELECT 1 FROM reports WHERE id = ?").get(id) !== undefined;
}

/** Returns a report, or undefined if the id is unknown. */
export function readReport(id: string): Report | undefined {
  const row = prepared<ReportRow>("SELECT * FROM reports WHERE id = ?").get(id);
  if (!row) return undefined;
  const { kind, state, decision, payload } = row;
  return {
    ...{ id, kind, state, decision, videos: videosOf(id) },
    ...{ receivedAt: row.received_at, dueAt: row.due_at, closedAt: row.closed_at },
    erasedAt: row.erased_at,
    mailLink: row.mail_link,
    payload: payload === null ? null : decryptReport(payload),
  };
}

/** Returns a report's latest messages, oldest first. */
export function readMessages(reportId: string, most = 200): ReportMessage[] {
  const rows = prepared<ReportMessageRow>(
    `SELECT * FROM report_messages WHERE report_id = ? ORDER BY sent_at DESC, rowid DESC LIMIT ?`,
  ).all(reportId, most);
  return rows.reverse().map(({ id, author, sent_at, payload }) => {
    return { id, author, sentAt: sent_at, text: decrypt(MESSAGE, payload) };
  });
}

export function countMessages(reportId: string, author: ReportMessageRow["author"]): number {
  return prepared<number>("SELECT count(*) FROM report_messages WHERE report_id = ? AND author = ?")
    .pluck()
    .get(reportId, author)!;
}

/** Counts the reporter's messages since a moderator last wrote. */
export function countUnanswered(reportId: string): number {
  return prepared<number>(
    `SELECT count(*) FROM report_messages WHERE report_id = @reportId AND author = 'reporter'
       AND rowid > coalesce((SELECT max(rowid) FROM report_messages
         WHERE report_id = @reportId AND author = 'moderator'), 0)`,
  )
    .pluck()
    .get({ reportId })!;
}

/** Returns the total size, in bytes, of the text of all reports that aren't closed. */
export function countOpenReportBytes(): number {
  return prepared<number>(
    "SELECT total(length(CAST(payload AS BLOB))) FROM reports WHERE state <> 'closed'",
  )
    .pluck()
    .get()!;
}

/**
 * Adds a message to a report.
 *
 * @returns the message's id, or undefined if the report has been erased or doesn't exist.
 */
export function addMessage(
  message: { reportId: string; author: ReportMessageRow["author"]; text: string },
  now = Date.now(),
): string | undefined {
  requireTransaction();
  const { reportId, author, text } = message;
  const exists = prepared("SELECT 1 FROM reports WHERE id = ? AND erased_at IS NULL").get(reportId);
  if (!exists) return undefined;
  const id = randomUUID();
  prepared(
    "INSERT INTO report_messages (id, report_id, author, sent_at, payload) VALUES (?, ?, ?, ?, ?)",
  ).run(id, reportId, author, new Date(now).toISOString(), encryptMessage(text));
  return id;
}

/**
 * Moves a report to the `asked` state, or back to `open` when it is answered or reopened.
 *
 * @returns false if the report wasn't in one of the `from` states, because another change was made first.
 */
export function moveReport(
  change: { id: string; from: readonly ReportState[]; to: "open" | "asked" },
  now = Date.now(),
): boolean {
  requireTransaction();
  const { id, from, to } = change;
  const { changes } = prepared(
    `UPDATE reports SET state = ?, closed_at = NULL,
       urgent_alert_id = NULL, due_alert_id = NULL, overdue_alert_id = NULL
     WHERE id = ? AND state IN (SELECT value FROM json_each(?))`,
  ).run(to, id, JSON.stringify(from));
  if (changes > 0 && to === "asked") enqueueEmail(id, "asked", now);
  return changes > 0;
}

/**
 * Closes a report with a decision. A report that is already closed gets a new decision only if `again` is set.
 *
 * @returns false if the report was already closed.
 */
export function closeReport(
  change: { id: string; decision: ReportDecision; again?: boolean },
  now = Date.now(),
): boolean {
  requireTransaction();
  const { id, decision, again = false } = change;
  const { changes } = prepared(
    `UPDATE reports SET state = 'closed', decision = ?, closed_at = ?
     WHERE id = ? AND (state <> 'closed' OR ?)`,
  ).run(decision, new Date(now).toISOString(), id, Number(again));
  if (changes > 0 && decision !== "withdrawn") enqueueEmail(id, "decided", now);
  return changes > 0;
}

/** Records that the reporter has withdrawn the report, and leaves it open. Returns false if it is closed. */
export function withdrawOpenReport(id: string): boolean {
  requireTransaction();
  moveReport({ id, from: ["asked"], to: "open" });
  const { changes } = prepared(
    `UPDATE reports SET decision = 'withdrawn'
     WHERE id = ? AND state = 'open' AND erased_at IS NULL`,
  ).run(id);
  return changes > 0;
}

/**
 * Deletes a closed report's text, messages, emails and notes.
 *
 * @returns false if they were already deleted, or if the report is open or preserved.
 */
export function eraseReport(id: string, now = Date.now()): boolean {
  requireTransaction();
  const { changes } = prepared(
    `UPDATE reports SET payload = NULL, mail_link = NULL, erased_at = @at
     WHERE id = @id AND erased_at IS NULL AND state = 'closed'
       AND NOT ${isPreservedReport("id", "@at")}`,
  ).run({ id, at: new Date(now).toISOString() });
  if (changes === 0) return false;
  prepared("DELETE FROM report_messages WHERE report_id = ?").run(id);
  prepared("DELETE FROM outbox WHERE report_id = ?").run(id);
  // Notes don't refer to their report. They have the same user, video and time as the log entry for the decision.
  prepared(
    `DELETE FROM review_notes WHERE id IN (
       SELECT review_notes.id FROM moderation_log
         JOIN review_notes ON review_notes.video_id = moderation_log.video_id
           AND review_notes.user_id = moderation_log.user_id AND created_at = at
       WHERE report_id = ?)`,
  ).run(id);
  return true;
}

/** Returns a batch of the reports that were closed longer ago than REPORT_KEEP and aren't preserved. */
export function reportsToErase(now = Date.now()): string[] {
  return prepared<string>(
    `SELECT id FROM reports WHERE closed_at IS NOT NULL AND erased_at IS NULL AND closed_at <= @before
       AND NOT ${isPreservedReport("id", "@now")}
     ORDER BY closed_at LIMIT ${ERASE_BATCH_SIZE}`,
  )
    .pluck()
    .all({
      now: new Date(now).toISOString(),
      before: new Date(now - settings().reportKeepMs).toISOString(),
    });
}

/** Enqueues an email if the reporter has given an address and a mail server is configured. */
function enqueueEmail(id: string, event: ReportNotice["event"], now = Date.now()): void {
  requireTransaction();
  if (!settings().smtpUrl || !emailSender()) return;
  const payload = readReport(id)?.payload;
  if (!payload || payload === "unreadable" || !payload.email) return;
  const message = { event, channel: "email" as const };
  enqueueMessage("report_id", id, message, new Date(now).toISOString());
}

/** Records that an email was sent to the reporter, or that the reporter has opened the link in one. */
export function setMailLinkState(id: string, state: "sent" | "opened"): void {
  requireTransaction();
  prepared(
    `UPDATE reports SET mail_link = ?
     WHERE id = ? AND erased_at IS NULL AND mail_link IS NOT 'opened'`,
  ).run(state, id);
}

/** Returns the sender of emails to reporters, or undefined if no setting specifies one. */
export function emailSender(): string | undefined {
  const { smtpFrom, alertEmail, contactEmail } = settings();
  return smtpFrom ?? alertEmail ?? contactEmail;
}

const REPORT = "report";
const MESSAGE = "report message";

export interface ReportPayload {
  /** Empty if the reporter didn't enter a name. Likewise, `email` may be empty. */
  name: string;
  email: string;
  /** The video links as they were entered. */
  where: string;
  what: string;
  /** The confirmed statements, word for word. */
  statements: string[];
}

export function encryptReport(payload: ReportPayload): string {
  return encrypt(REPORT, JSON.stringify(payload));
}

/** Decrypts a report. Returns "unreadable" if the secret needed to decrypt it is no longer in SESSION_SECRET. */
export function decryptReport(payload: string): ReportPayload | "unreadable" {
  const text = decrypt(REPORT, payload);
  return text === undefined ? "unreadable" : (JSON.parse(text) as ReportPayload);
}

export function encryptMessage(text: string): string {
  return encrypt(MESSAGE, text);
}
