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
