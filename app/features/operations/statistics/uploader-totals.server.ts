import type { Database } from "better-sqlite3";
import type { Totals } from "~/features/library/list/managed-list.server";

/** The totals of a user's uploads in one stored category. */
export interface UploaderTotals extends Totals {
  category: string;
}

/** Returns the totals of a user's uploads by stored category. Runs on a thread, because it reads each row. */
export function readUploaderTotals(sqlite: Database) {
  const totals = sqlite.prepare<unknown[], UploaderTotals>(
    `SELECT category, count(*) AS videos, sum(views) AS views, sum(bytes) AS bytes
     FROM videos WHERE uploaded_by = ? GROUP BY category`,
  );
  return (uploader: string) => totals.all(uploader);
}
