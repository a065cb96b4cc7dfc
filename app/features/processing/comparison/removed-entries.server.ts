import { settings } from "~/platform/settings.server";
import { prepared, transaction } from "~db/client.server";
import { every } from "~db/runtime.server";
import { writingTurns } from "~db/threads/checkpoint.server";
import { putBackLimit } from "./blocked-films.server";

const EVERY_MS = 60_000;
/** In one transaction. */
const AT_ONCE = 32;
const DIGESTS_AT_ONCE = 200;

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
  const removedBefore = putBackLimit(now);
  const turn = writingTurns();
  const due = prepared(
    `SELECT id FROM blocked_films WHERE removed_at <= ? LIMIT ${AT_ONCE}`,
  ).pluck();
  for (let ids = due.all(removedBefore); ids.length > 0; ids = due.all(removedBefore)) {
    for (const id of ids) await deleteEntry(id as number, removedBefore);
  }
  const forgetTitles = prepared(
    `UPDATE blocked_films SET title = NULL WHERE id IN
       (SELECT id FROM blocked_films
        WHERE title IS NOT NULL AND video_id IS NOT NULL AND blocked_at <= ? LIMIT ${AT_ONCE})`,
  );
  const blockedBefore = new Date(now - settings().reportKeepMs).toISOString();
  while ((await transaction(() => forgetTitles.run(blockedBefore))).changes === AT_ONCE) {
    await turn();
  }
}

/** A list may have hundreds of thousands of digests. */
async function deleteEntry(id: number, removedBefore: string): Promise<void> {
  const turn = writingTurns();
  const isDue =
    "film_id IN (SELECT id FROM blocked_films WHERE id = @id AND removed_at <= @before)";
  for (const [table, column] of [
    ["blocked_files", "sha256"],
    ["blocked_md5s", "md5"],
  ]) {
    const some = prepared(
      `DELETE FROM ${table} WHERE ${isDue} AND ${column} IN
         (SELECT ${column} FROM ${table} WHERE film_id = @id LIMIT ${DIGESTS_AT_ONCE})`,
    );
    const deleteSome = () => some.run({ id, before: removedBefore });
    while ((await transaction(deleteSome)).changes === DIGESTS_AT_ONCE) await turn();
  }
  const entry = prepared("DELETE FROM blocked_films WHERE id = ? AND removed_at <= ?");
  await transaction(() => entry.run(id, removedBefore));
  await turn();
}
