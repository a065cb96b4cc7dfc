import { prepared } from "~db/client.server";

/**
 * The videos that reports name, which are readable without the secret of a report and after its texts
 * are deleted.
 */

/** What a report's row says of its videos. */
interface NamesVideos {
  id: string;
  videoId: string | null;
}

/** Returns the ids of the videos that a report names, in the order of the report. They may be deleted. */
export function videosOf({ id, videoId }: NamesVideos): string[] {
  const recorded = prepared("SELECT video_id FROM report_videos WHERE report_id = ? ORDER BY rowid")
    .pluck()
    .all(id) as string[];
  return [...new Set([...(videoId === null ? [] : [videoId]), ...recorded])];
}

/** Adds videos to those that a report names. Synchronous, for the transaction of the caller. */
export function recordReportedVideos(reportId: string, videoIds: readonly string[]): void {
  const add = prepared("INSERT OR IGNORE INTO report_videos (report_id, video_id) VALUES (?, ?)");
  for (const videoId of videoIds) add.run(reportId, videoId);
}
