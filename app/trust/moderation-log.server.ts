import { createHash } from "node:crypto";
import type { Selectable } from "kysely";
import { eventLoopTurns } from "~/shared/event-loop";
import { prepared, sqliteHandle } from "~db/client.server";
import type { ModerationLogTable } from "~db/schema/moderation";

/** Read at once by the check: under a millisecond. */
const ROWS_AT_ONCE = 100;

/**
 * What a moderator, or a rule of the site, did. Without names and without texts that somebody typed: those
 * are deleted one day, and the log never is. `textDigest()` of a text may stand in the detail.
 */
export interface LogEntry {
  /** Such as `remove`; the transparency page counts those of `report-decisions.ts`. */
  action: string;
  reportId?: string | null;
  videoId?: string | null;
  /** Who did it; left out for the site itself. */
  userId?: string | null;
  detail?: Readonly<Record<string, string | number | boolean | null>>;
}

type Row = Selectable<ModerationLogTable>;

/** SHA-256 of a text, in hexadecimal digits: shows later that it was the same. */
export function textDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** What `hash` is made of: all other columns but the number, in this order. */
function hashOf(row: Omit<Row, "id" | "hash">): string {
  const { previous, at, action, report_id, video_id, user_id, detail } = row;
  return textDigest(JSON.stringify([previous, at, action, report_id, video_id, user_id, detail]));
}

/**
 * Adds an entry to the log. It is synchronous, so that it can be called within `writeTransaction()` and
 * within a transaction of Kysely alike.
 *
 * @throws outside of a transaction: what was done and its entry are there together, or neither is.
 */
export function appendToLog(entry: LogEntry, now = Date.now()): void {
  if (!sqliteHandle().inTransaction) throw new Error("The log is written in a transaction.");
  const row = {
    at: new Date(now).toISOString(),
    action: entry.action,
    report_id: entry.reportId ?? null,
    video_id: entry.videoId ?? null,
    user_id: entry.userId ?? null,
    detail: JSON.stringify(entry.detail ?? {}),
    previous: logHead().hash,
  };
  prepared(
    `INSERT INTO moderation_log
       (at, action, report_id, video_id, user_id, detail, previous, hash)
     VALUES (@at, @action, @report_id, @video_id, @user_id, @detail, @previous, @hash)`,
  ).run({ ...row, hash: hashOf(row) });
}

/** The number and hash of the last entry: whoever notes it sees later whether history has changed. */
export function logHead(): { entries: number; hash: string } {
  const last = prepared("SELECT id, hash FROM moderation_log ORDER BY id DESC LIMIT 1").get() as
    | { id: number; hash: string }
    | undefined;
  return { entries: last?.id ?? 0, hash: last?.hash ?? "" };
}

/** What the check of the log found. */
export interface LogCheck {
  entries: number;
  /** The hash of the last entry; empty without entries. */
  head: string;
  /** A sentence about the first entry that is not as it was written; undefined when all are. */
  broken?: string;
}

/** Follows the chain from its first entry to its last. Others have their turn meanwhile. */
export async function verifyLog(): Promise<LogCheck> {
  const next = prepared(
    `SELECT id, at, action, report_id, video_id, user_id, detail, previous, hash
     FROM moderation_log WHERE id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE}`,
  );
  const turn = eventLoopTurns();
  const check: LogCheck = { entries: 0, head: "" };
  let last = 0;
  for (;;) {
    const rows = next.all(last) as Row[];
    for (const row of rows) {
      // Numbers rise by one, so an entry that was taken out leaves a gap.
      if (row.id !== last + 1) return { ...check, broken: missing(last + 1, row.id - 1) };
      const isAltered = row.previous !== check.head || row.hash !== hashOf(row);
      if (isAltered) return { ...check, broken: `Entry ${row.id} is not as it was written.` };
      check.entries += 1;
      check.head = row.hash;
      last = row.id;
    }
    if (rows.length < ROWS_AT_ONCE) break;
    await turn();
  }
  const written = prepared("SELECT seq FROM sqlite_sequence WHERE name = 'moderation_log'")
    .pluck()
    .get() as number | undefined;
  return (written ?? 0) > last ? { ...check, broken: missing(last + 1, written ?? 0) } : check;
}

function missing(from: number, to: number): string {
  return from === to ? `Entry ${from} is missing.` : `Entries ${from} to ${to} are missing.`;
}
