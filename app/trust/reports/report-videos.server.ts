import { prepared, writeTransaction } from "~db/client.server";
import { openReport, type ReportBox, UNREADABLE } from "./report-box.server";

/**
 * The videos that reports name, which are readable without the secret of a report and after its texts
 * are deleted.
 */

const REPORTS_PER_TRANSACTION = 100;

/** What of a report names its videos. */
interface NamesVideos {
  id: string;
  videoId: string | null;
  box: ReportBox | typeof UNREADABLE | null;
}

/**
 * Returns the ids of the videos that a report names, in the order of the report. They may be gone. Those of
 * a report that was closed before they were recorded may be in its payload only.
 */
export function videosOf({ id, videoId, box }: NamesVideos): string[] {
  const named = box && box !== UNREADABLE ? box.videos : [];
  return [...new Set([...(videoId === null ? [] : [videoId]), ...reportedVideos(id), ...named])];
}

/** Returns the ids of the videos that are recorded for a report. */
export function reportedVideos(reportId: string): string[] {
  return prepared("SELECT video_id FROM report_videos WHERE report_id = ? ORDER BY rowid")
    .pluck()
    .all(reportId) as string[];
}

/** Adds videos to those that a report names. Synchronous, for the transaction of the caller. */
export function recordReportedVideos(reportId: string, videoIds: readonly string[]): void {
  const add = prepared("INSERT OR IGNORE INTO report_videos (report_id, video_id) VALUES (?, ?)");
  for (const videoId of videoIds) add.run(reportId, videoId);
}

/**
 * Records the videos of reports from before they had a table: all but the first are only in the
 * encrypted payload. Reads what isn't closed at each start, since a secret may be configured again.
 * Closed reports are recorded when they are opened again or their texts are deleted.
 */
export async function recordVideosOfOpenReports(): Promise<void> {
  const next = prepared(
    `SELECT id, box FROM reports WHERE id > ? AND state <> 'closed' AND box IS NOT NULL
     ORDER BY id LIMIT ${REPORTS_PER_TRANSACTION}`,
  );
  let after = "";
  for (;;) {
    const rows = next.all(after) as { id: string; box: string }[];
    if (rows.length === 0) return;
    await writeTransaction(() => {
      for (const { id, box } of rows) recordPayloadVideos(id, box);
    });
    after = rows.at(-1)?.id ?? after;
  }
}

/** Records the videos that only the encrypted payload of a report names, as far as it can be read. */
export function recordPayloadVideos(reportId: string, box: string | null): void {
  const opened = box === null ? undefined : openReport(box);
  if (opened && opened !== UNREADABLE) recordReportedVideos(reportId, opened.videos);
}
