import type { Database } from "better-sqlite3";
import type { Totals } from "~/features/library/list/managed-list.server";

/** The totals for a user's uploads in one category, as stored in the database. */
export interface UploaderTotals extends Totals {
  category: string;
}

/**
 * Returns the totals for a user's uploads, grouped by category. Runs in a worker thread, because it reads every row.
 */
export function readUploaderTotals(sqlite: Database) {
  const totals = sqlite.prepare<unknown[], UploaderTotals>(
    `SELECT category, count(*) AS videos, sum(views) AS views, sum(bytes) AS bytes
     FROM videos WHERE uploaded_by = ? GROUP BY category`,
  );
  return (uploader: string) => totals.all(uploader);
}
