import { createHash } from "node:crypto";
import { prepared, sqliteHandle } from "~db/client.server";

/**
 * An action of a moderator or of a rule of the site. It contains no names and no texts that somebody
 * typed: those are deleted after a time, and the log never is. The detail may contain the `textDigest()`
 * of a text.
 */
export interface LogEntry {
  /** Such as `remove`; the transparency page counts those of `decisions.ts`. */
  action: string;
  reportId?: string | null;
  videoId?: string | null;
  /** Who did it; left out for the site itself. */
  userId?: string | null;
  detail?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Returns the SHA-256 of a text in hexadecimal digits, which shows later that it was the same text. */
export function textDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Adds an entry to the log. It is synchronous, so that it can be called within `transaction()` and
 * within a transaction of Kysely alike.
 *
 * @throws outside of a transaction: an action and its entry are stored together, or neither is.
 */
export function appendToLog(entry: LogEntry, now = Date.now()): void {
  if (!sqliteHandle().inTransaction) throw new Error("The log is written in a transaction.");
  prepared(
    `INSERT INTO moderation_log (at, action, report_id, video_id, user_id, detail)
     VALUES (@at, @action, @reportId, @videoId, @userId, @detail)`,
  ).run({
    at: new Date(now).toISOString(),
    action: entry.action,
    reportId: entry.reportId ?? null,
    videoId: entry.videoId ?? null,
    userId: entry.userId ?? null,
    detail: JSON.stringify(entry.detail ?? {}),
  });
}
