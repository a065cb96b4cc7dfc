import type { Database } from "better-sqlite3";
import { dayOf } from "./consent";

const LISTED = 50;

/**
 * SQL condition on `videos`: there is no valid record, as far as the database can tell. Needs `@today`. It doesn't
 * check whether the encrypted data can be read.
 */
export const IS_WITHOUT_RECORD = `NOT EXISTS (
  SELECT 1 FROM video_consents AS consent WHERE consent.video_id = videos.id
    AND (ends_on IS NULL OR ends_on > @today)
    AND people = (SELECT count(*) FROM video_performers AS shown WHERE shown.video_id = videos.id)
    AND NOT EXISTS (SELECT 1 FROM video_performers AS shown
      JOIN performers ON performers.id = shown.performer_id
      WHERE shown.video_id = videos.id AND (of_age = 0 OR checked_on IS NULL OR NOT EXISTS (
        SELECT 1 FROM performer_documents AS document
        WHERE document.performer_id = performers.id AND document.kind = 'identity'))))`;

export interface VideosWithoutRecord {
  total: number;
  /** The newest videos without a valid record. */
  first: { id: string; title: string }[];
}

/**
 * Returns the task for the query thread. The task counts the videos that have a valid record and subtracts them from
 * the total. If records aren't required, few videos have one, so this avoids reading all the others.
 */
export function countWithoutRecord(sqlite: Database) {
  const published = sqlite
    .prepare<unknown[], number>("SELECT count(*) FROM videos WHERE public")
    .pluck();
  const valid = sqlite
    .prepare<unknown[], number>(
      `SELECT count(*) FROM video_consents AS record CROSS JOIN videos ON videos.id = record.video_id
       WHERE public AND NOT ${IS_WITHOUT_RECORD}`,
    )
    .pluck();
  const list = sqlite.prepare(
    `SELECT id, title FROM videos WHERE public AND ${IS_WITHOUT_RECORD}
     ORDER BY number DESC LIMIT ${LISTED}`,
  );
  return ({ now }: { now: number }): VideosWithoutRecord => {
    const today = dayOf(now);
    const total = published.get()! - valid.get({ today })!;
    const first = total > 0 ? list.all({ today }) : [];
    return { total, first: first as VideosWithoutRecord["first"] };
  };
}
