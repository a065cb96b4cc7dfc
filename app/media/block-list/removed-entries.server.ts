import { settings } from "~/server/settings.server";
import { prepared, writeTransaction } from "~db/client.server";
import { every } from "~db/runtime.server";

/** For how long a removed entry can be put back on the block list. */
export const PUT_BACK_DAYS = 30;
const DAY_MS = 24 * 3_600_000;
const EVERY_MS = 60_000;
/** In one transaction. */
const AT_ONCE = 32;

/** Deletes what the block list keeps for a limited time, from now on each minute. */
export function startForgettingEntries(): void {
  every(EVERY_MS, "delete old entries and titles of the block list", () => forgetEntries());
}

/**
 * Deletes the entries that were removed from the list more than 30 days ago, and the titles of videos that were
 * blocked REPORT_KEEP ago.
 *
 * @param now milliseconds since 1970.
 */
export async function forgetEntries(now = Date.now()): Promise<void> {
  const entries = prepared(
    `DELETE FROM blocked_films WHERE id IN
       (SELECT id FROM blocked_films WHERE removed_at <= ? LIMIT ${AT_ONCE})`,
  );
  const titles = prepared(
    `UPDATE blocked_films SET title = NULL WHERE id IN
       (SELECT id FROM blocked_films
        WHERE title IS NOT NULL AND video_id IS NOT NULL AND blocked_at <= ? LIMIT ${AT_ONCE})`,
  );
  const due = [
    [entries, now - PUT_BACK_DAYS * DAY_MS],
    [titles, now - settings().reportKeepMs],
  ] as const;
  for (const [statement, before] of due) {
    const time = new Date(before).toISOString();
    while ((await writeTransaction(() => statement.run(time))).changes === AT_ONCE);
  }
}
