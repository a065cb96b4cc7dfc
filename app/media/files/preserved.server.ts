import { prepared, sqliteHandle } from "~db/client.server";
import { type FileName, mediaBasePath } from "../bucket.server";

/**
 * Preserved reports. Until a given time, nobody can delete a preserved report's text, or the files and rows of its
 * videos. Each report has separate rows, so that ending one preservation never ends another.
 */

const NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";
const VIDEOS_NOW = `SELECT video_id FROM preserved_videos JOIN preserved_reports USING (report_id)
  WHERE until > ${NOW}`;

/** Returns an SQL condition that is true if the video with a given id is preserved, even if it was deleted. */
export function isPreserved(videoId: string): string {
  return `${videoId} IN (${VIDEOS_NOW})`;
}

/** Returns an SQL condition that is true if the report with a given id is preserved. */
export function isPreservedReport(reportId: string, time = NOW): string {
  return `${reportId} IN (SELECT report_id FROM preserved_reports WHERE until > ${time})`;
}

/** Returns whether a file is recorded as belonging to a preserved video, as its current, previous or pending file. */
export function isPreservedFile({ bucket, path }: FileName): boolean {
  if (bucket === "documents") return false;
  if (!prepared(`${VIDEOS_NOW} LIMIT 1`).get()) return false;
  const base = mediaBasePath(path);
  const found = prepared(/* sql */ `
    WITH owners AS MATERIALIZED (
      SELECT video_id AS id FROM media_files
      WHERE bucket IN ('videos', 'thumbnails')
        AND (path = @base OR path >= @base || '.' AND path < @base || '0'))
    ${VIDEOS_NOW} AND video_id IN (
      SELECT id FROM owners
      UNION SELECT video_id FROM video_files WHERE id IN (SELECT id FROM owners)) LIMIT 1`);
  return found.get({ base }) !== undefined;
}

/**
 * Preserves a report and some of its videos until a given time (ISO 8601 UTC). Synchronous, so that it can be part of
 * the caller's transaction.
 */
export function preserve(reportId: string, videoIds: readonly string[], until: string): void {
  requireTransaction();
  prepared(
    `INSERT INTO preserved_reports (report_id, until) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET until = excluded.until`,
  ).run(reportId, until);
  const add = prepared(
    "INSERT INTO preserved_videos (report_id, video_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  for (const videoId of videoIds) add.run(reportId, videoId);
}

/** Ends the preservation of a report. Synchronous, so that it can be part of the caller's transaction. */
export function endPreservation(reportId: string): boolean {
  requireTransaction();
  const { changes } = prepared("DELETE FROM preserved_reports WHERE report_id = ?").run(reportId);
  return changes > 0;
}

/** Returns the time until which a report is preserved (ISO 8601 UTC); null if it isn't preserved. */
export function preservedUntil(reportId: string): string | null {
  const until = prepared<string>(
    `SELECT until FROM preserved_reports WHERE report_id = ? AND until > ${NOW}`,
  ).pluck();
  return until.get(reportId) ?? null;
}

/** Returns the ids of the videos that a report preserves. */
export function preservedBy(reportId: string): string[] {
  return prepared<string>(`${VIDEOS_NOW} AND report_id = ?`).pluck().all(reportId);
}

function requireTransaction(): void {
  if (!sqliteHandle().inTransaction)
    throw new Error("Preservations must be changed in a transaction.");
}
