import type { MediaName } from "~/media/bucket.server";
import { videosOfFile } from "~/media/serve/videos-of-file.server";
import { prepared, sqliteHandle } from "~db/client.server";
import type { ReportKind, VideoDecision } from "~db/schema/reports";

/**
 * The videos that reports name, with what was decided about each. They are readable without the secret of a
 * report and after its texts are deleted. What changes something is synchronous, for the transaction of the
 * caller.
 */

/** A video that a report names. It may be in the trash or deleted. Times are ISO 8601 UTC. */
export interface NamedVideo {
  id: string;
  /** Null while it waits for a decision. */
  decision: VideoDecision | null;
  /** When it got another film after it was reported; null if it has the film that was reported. */
  filmChangedAt: string | null;
}

/** Returns the videos that a report names, in the order in which they were named. */
export function videosOf(reportId: string): NamedVideo[] {
  return prepared(
    `SELECT video_id AS id, decision, film_changed_at AS filmChangedAt FROM report_videos
     WHERE report_id = ? ORDER BY rowid`,
  ).all(reportId) as NamedVideo[];
}

/** The gravest decision about some videos of a report; undefined while there is none. */
export function gravestDecision(videos: readonly NamedVideo[]): VideoDecision | undefined {
  const order = ["remove", "restore", "keep"] as const;
  return order.find((decision) => videos.some((video) => video.decision === decision));
}

/** Whether a video is in the catalogue or in the trash. */
export function isHere(videoId: string): boolean {
  const found = prepared(
    `SELECT 1 FROM videos WHERE id = @videoId
     UNION ALL SELECT 1 FROM deleted_videos WHERE id = @videoId`,
  ).get({ videoId });
  return found !== undefined;
}

/** Whether a report names a video, open or closed. */
export function isReported(videoId: string): boolean {
  return prepared("SELECT 1 FROM report_videos WHERE video_id = ?").get(videoId) !== undefined;
}

/**
 * Whether reports name all videos that a file is of, or is derived from. False for a file that no video is known
 * to use.
 */
export function isFileOfReported(name: MediaName): boolean {
  const ids = prepared(
    `WITH ids AS (SELECT value AS id FROM json_each(?))
     SELECT id FROM videos WHERE id IN (
       SELECT id FROM ids
       UNION SELECT video_id FROM video_files WHERE id IN (SELECT id FROM ids))`,
  )
    .pluck()
    .all(JSON.stringify(videosOfFile(name))) as string[];
  return ids.length > 0 && ids.every(isReported);
}

/** Adds videos to those that a report names. */
export function nameVideos(reportId: string, videoIds: readonly string[]): void {
  requireTransaction();
  const add = prepared("INSERT OR IGNORE INTO report_videos (report_id, video_id) VALUES (?, ?)");
  for (const videoId of videoIds) add.run(reportId, videoId);
}

/** Takes a video out of a report that names it by mistake. */
export function unnameVideo(reportId: string, videoId: string): void {
  requireTransaction();
  prepared("DELETE FROM report_videos WHERE report_id = ? AND video_id = ?").run(reportId, videoId);
}

/** Records what a moderator decided about one video of a report; null: it has to be decided again. */
export function decideVideo(
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
 * Records that a video has another film now, or none: what moderators saw because of reports was the earlier
 * one.
 */
export function noteFilmChange(videoIds: readonly string[], now = Date.now()): void {
  requireTransaction();
  prepared(
    `UPDATE report_videos SET film_changed_at = ?
     WHERE video_id IN (SELECT value FROM json_each(?))`,
  ).run(new Date(now).toISOString(), JSON.stringify(videoIds));
}

/** The kinds of reports after which a moderator has kept or restored a video that still has the same film. */
const KEPT_KINDS = `SELECT kept_report.kind
  FROM report_videos AS kept JOIN reports AS kept_report ON kept_report.id = kept.report_id
  WHERE kept.decision IN ('keep', 'restore')
    AND (kept.film_changed_at IS NULL OR kept.decided_at > kept.film_changed_at)`;

/** Returns for which kinds of reports a moderator has looked at a video and left it on the site. */
export function checkedKinds(videoId: string): ReportKind[] {
  return prepared(`${KEPT_KINDS} AND kept.video_id = ? GROUP BY 1 ORDER BY 1`)
    .pluck()
    .all(videoId) as ReportKind[];
}

/** The open urgent reports that name a video, of kinds for which no moderator has looked at it. */
export function uncheckedReports(videoId: string): { id: string; kind: ReportKind }[] {
  return prepared(
    `SELECT id, kind FROM reports JOIN report_videos ON report_id = id
     WHERE report_videos.video_id = @videoId AND report_videos.decision IS NULL
       AND state <> 'closed' AND kind IN ('consent', 'under-age')
       AND kind NOT IN (${KEPT_KINDS} AND kept.video_id = @videoId)`,
  ).all({ videoId }) as { id: string; kind: ReportKind }[];
}

/** How many public videos open urgent reports name that nobody has looked at. Reads at most `limit` reports. */
export function countUnhidden(limit: number): number {
  return prepared(
    `SELECT count(DISTINCT videos.id)
     FROM (SELECT id, kind FROM reports
         WHERE state IN ('open', 'asked') AND kind IN ('consent', 'under-age') LIMIT @limit) AS urgent
       JOIN report_videos ON report_id = urgent.id AND decision IS NULL
       JOIN videos ON videos.id = report_videos.video_id
     WHERE public AND urgent.kind NOT IN (${KEPT_KINDS} AND kept.video_id = videos.id)`,
  )
    .pluck()
    .get({ limit }) as number;
}

function requireTransaction(): void {
  if (!sqliteHandle().inTransaction) {
    throw new Error("The videos of reports are written in a transaction.");
  }
}
