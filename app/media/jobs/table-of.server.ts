import { prepared } from "~db/client.server";

/**
 * The table with the row that a job fills, which both have by the same columns: that of a video, or of
 * a file that is to become a video's.
 *
 * @returns `videos` also for an id that neither has.
 */
export function tableOf(id: string): "videos" | "video_files" {
  return prepared("SELECT 1 FROM video_files WHERE id = ?").get(id) ? "video_files" : "videos";
}

/** Whether a row is there that what a job has made can belong to. */
export function isWanted(id: string): boolean {
  const row = prepared(
    `SELECT 1 FROM videos WHERE id = @id
     UNION ALL SELECT 1 FROM video_files WHERE id = @id AND state = 'pending' LIMIT 1`,
  ).get({ id });
  return row !== undefined;
}
