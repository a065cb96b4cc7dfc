import { createHash } from "node:crypto";
import { prepared, sqliteHandle } from "~db/client.server";

/**
 * An action by a moderator or an automatic rule. It doesn't contain any names or text that someone typed, because those
 * are deleted after some time, whereas the log never is. The detail may contain a `textDigest()` instead.
 */
export interface LogEntry {
  /** The action, such as `remove`. The transparency page counts the actions that are listed in `decisions.ts`. */
  action: string;
  reportId?: string | null;
  videoId?: string | null;
  /** The moderator; omitted if the site itself acted. */
  userId?: string | null;
  detail?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Returns the hexadecimal SHA-256 of some text, which can later prove what the text said. */
export function textDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Adds an entry to the log.
 *
 * @throws outside a transaction, because an action and its entry must be stored together.
 */
export function appendToLog(entry: LogEntry, now = Date.now()): void {
  if (!sqliteHandle().inTransaction) throw new Error("Call this in a transaction.");
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
