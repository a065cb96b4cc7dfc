import type { Database } from "better-sqlite3";
import type { Totals } from "~/features/library/list/managed-list.server";

/** What a user has uploaded of one stored category. */
export interface UploaderTotals extends Totals {
  category: string;
}

/** What a user has uploaded, by stored category. Runs on a thread, since it reads each of the rows. */
export function readUploaderTotals(sqlite: Database) {
  const totals = sqlite.prepare<unknown[], UploaderTotals>(
    `SELECT category, count(*) AS videos, sum(views) AS views, sum(bytes) AS bytes
     FROM videos WHERE uploaded_by = ? GROUP BY category`,
  );
  return (uploader: string) => totals.all(uploader);
}
