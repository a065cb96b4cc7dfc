import { videosUsing } from "~/features/visibility/media-access.server";
import type { MediaName } from "~/media/bucket.server";
import { prepared } from "~db/client.server";
import { requireTransaction } from "~db/run-query.server";
import type { ReportKind, VideoDecision } from "~db/schema/moderation";

/**
 * The reported videos, and the decision on each. They aren't encrypted, and are kept after a report's text has been
 * deleted. Functions that change something are synchronous and must be called in the caller's transaction.
 */

/** A reported video. It may be in the trash or deleted. Times are in ISO 8601 format (UTC). */
export interface NamedVideo {
  id: string;
  /** Null while the video is waiting for a decision. */
  decision: VideoDecision | null;
  /** When the video's file was last replaced since the report; null if it still has the reported file. */
  fileChangedAt: string | null;
}

/** Returns the videos in a report, in the order in which they were reported. */
export function videosOf(reportId: string): NamedVideo[] {
  return prepared<NamedVideo>(
    `SELECT video_id AS id, decision, file_changed_at AS fileChangedAt FROM report_videos
     WHERE report_id = ? ORDER BY rowid`,
  ).all(reportId);
}

/** Returns the most severe of the decisions on some of a report's videos, or undefined if there is none. */
export function mostSevereDecision(videos: readonly NamedVideo[]): VideoDecision | undefined {
  const order = ["remove", "restore", "keep"] as const;
  return order.find((decision) => videos.some((video) => video.decision === decision));
}

/** Returns whether a video is in the catalogue or in the trash. */
export function videoExists(videoId: string): boolean {
  const found = prepared(
    `SELECT 1 FROM videos WHERE id = @videoId
     UNION ALL SELECT 1 FROM deleted_videos WHERE id = @videoId`,
  ).get({ videoId });
  return found !== undefined;
}

/** Returns whether a video is in any report, open or closed. */
export function isReported(videoId: string): boolean {
  return prepared("SELECT 1 FROM report_videos WHERE video_id = ?").get(videoId) !== undefined;
}

/**
 * Returns whether every video that uses a file, or from which the file is derived, has been reported. Returns false if
 * no video uses the file.
 */
export function isReportedFile(name: MediaName): boolean {
  const videos = videosUsing(name);
  return videos.length > 0 && videos.every(({ id }) => isReported(id));
}

export function addReportVideos(reportId: string, videoIds: readonly string[]): void {
  requireTransaction();
  const add = prepared("INSERT OR IGNORE INTO report_videos (report_id, video_id) VALUES (?, ?)");
  for (const videoId of videoIds) add.run(reportId, videoId);
}

export function removeReportVideo(reportId: string, videoId: string): void {
  requireTransaction();
  prepared("DELETE FROM report_videos WHERE report_id = ? AND video_id = ?").run(reportId, videoId);
}

/** Records the decision on one of a report's videos. The decision is null if the video needs a new one. */
export function recordVideoDecision(
  { reportId, videoId }: { reportId: string; videoId: string },
  decision: VideoDecision | null,
  now = Date.now(),
): void {
  requireTransaction();
  prepared(
    "UPDATE report_videos SET decision = ?, decided_at = ? WHERE report_id = ? AND video_id = ?",
  ).run(decision, decision && new Date(now).toISOString(), reportId, videoId);
}

/**
 * A query for the kinds of reports for which a moderator decided to keep or restore a video, provided that the video's
 * file hasn't changed since the decision.
 */
const KEPT_KINDS = `SELECT kept_report.kind
  FROM report_videos AS kept JOIN reports AS kept_report ON kept_report.id = kept.report_id
  WHERE kept.decision IN ('keep', 'restore')
    AND (kept.file_changed_at IS NULL OR kept.decided_at > kept.file_changed_at)`;

/** Returns the kinds of reports for which a moderator has reviewed a video and kept it. */
export function reviewedKinds(videoId: string): ReportKind[] {
  return prepared<ReportKind>(`${KEPT_KINDS} AND kept.video_id = ? GROUP BY 1 ORDER BY 1`)
    .pluck()
    .all(videoId);
}

/**
 * Returns the open urgent reports about a video. If a moderator has already reviewed the video because of a report of
 * one kind, reports of that kind are left out.
 */
export function unreviewedReports(videoId: string): { id: string; kind: ReportKind }[] {
  return prepared<{ id: string; kind: ReportKind }>(
    `SELECT id, kind FROM reports JOIN report_videos ON report_id = id
     WHERE report_videos.video_id = @videoId AND report_videos.decision IS NULL
       AND state <> 'closed' AND kind IN ('consent', 'under-age')
       AND kind NOT IN (${KEPT_KINDS} AND kept.video_id = @videoId)`,
  ).all({ videoId });
}

/** Counts the public videos in open urgent reports that no moderator has reviewed. Reads at most `limit` reports. */
export function countUnreviewedPublic(limit: number): number {
  return prepared<number>(
    `SELECT count(DISTINCT videos.id)
     FROM (SELECT id, kind FROM reports
         WHERE state IN ('open', 'asked') AND kind IN ('consent', 'under-age') LIMIT @limit) AS urgent
       JOIN report_videos ON report_id = urgent.id AND decision IS NULL
       JOIN videos ON videos.id = report_videos.video_id
     WHERE public AND urgent.kind NOT IN (${KEPT_KINDS} AND kept.video_id = videos.id)`,
  )
    .pluck()
    .get({ limit })!;
}
