import { prepared, sqliteHandle } from "~db/client.server";
import { type FileName, mediaBasePath } from "../bucket.server";

/**
 * Videos that reports preserve. Nobody can delete their files or rows before the given time. Each report has rows
 * of its own, so that ending one preservation never ends another.
 */

const IS_NOW = "until > strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

/** Returns an SQL condition for the id of a video, deleted or not. */
export function isPreserved(videoId: string): string {
  return `${videoId} IN (SELECT video_id FROM preserved_videos WHERE ${IS_NOW})`;
}

/** Whether a file is recorded as one of a preserved video, of its earlier films, or of a pending one. */
export function isPreservedFile({ bucket, path }: FileName): boolean {
  if (bucket === "documents") return false;
  if (!prepared(`SELECT 1 FROM preserved_videos WHERE ${IS_NOW} LIMIT 1`).get()) return false;
  const base = mediaBasePath(path);
  const found = prepared(/* sql */ `
    WITH owners AS MATERIALIZED (
      SELECT video_id AS id FROM media_files
      WHERE bucket IN ('videos', 'thumbnails')
        AND (path = @base OR path >= @base || '.' AND path < @base || '0'))
    SELECT 1 FROM preserved_videos WHERE ${IS_NOW} AND video_id IN (
      SELECT id FROM owners
      UNION SELECT video_id FROM video_files WHERE id IN (SELECT id FROM owners)) LIMIT 1`);
  return found.get({ base }) !== undefined;
}

/** Preserves videos for a report until a time, ISO 8601 UTC. Synchronous, for the transaction of the caller. */
export function preserveVideos(reportId: string, videoIds: readonly string[], until: string): void {
  requireTransaction();
  const add = prepared(
    `INSERT INTO preserved_videos (report_id, video_id, until) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET until = excluded.until`,
  );
  for (const videoId of videoIds) add.run(reportId, videoId, until);
}

/** Ends the preservation of a report's videos. Synchronous, for the transaction of the caller. */
export function endPreservation(reportId: string): boolean {
  requireTransaction();
  const { changes } = prepared("DELETE FROM preserved_videos WHERE report_id = ?").run(reportId);
  return changes > 0;
}

/** Returns until when a report preserves its videos, ISO 8601 UTC; null if it doesn't. */
export function preservedUntil(reportId: string): string | null {
  const last = prepared(
    `SELECT max(until) FROM preserved_videos WHERE report_id = ? AND ${IS_NOW}`,
  );
  return last.pluck().get(reportId) as string | null;
}

/** The ids of the videos that a report preserves. */
export function preservedBy(reportId: string): string[] {
  return prepared(`SELECT video_id FROM preserved_videos WHERE report_id = ? AND ${IS_NOW}`)
    .pluck()
    .all(reportId) as string[];
}

function requireTransaction(): void {
  if (!sqliteHandle().inTransaction) throw new Error("Videos are preserved in a transaction.");
}
