import type { Statement } from "better-sqlite3";

/**
 * A video that browsers can't play is in no public list until its stream has begun. Rows of other
 * programs that name no file at all are shown: nothing is being made of them.
 */
export const CAN_BE_WATCHED = "(video_url <> '' OR source_url IS NULL OR hls_url IS NOT NULL)";

/** The published rows that can't, by their own index. */
export const PREPARING = `videos INDEXED BY videos_preparing
  WHERE status = 'published' AND video_url = '' AND source_url IS NOT NULL AND hls_url IS NULL`;

/**
 * The condition of a list whose rows come from an index alone. Asked of each row that is passed over, so
 * it is left out while there is nothing to leave out.
 */
export function isNotPreparing(prepare: (sql: string) => Statement): string {
  const some = prepare(`SELECT 1 FROM ${PREPARING} LIMIT 1`).get();
  return some === undefined ? "TRUE" : `number NOT IN (SELECT number FROM ${PREPARING})`;
}
