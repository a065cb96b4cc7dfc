import { isPreserved } from "~/media/files/preserved.server";
import { prepared } from "~db/client.server";
import { requireTransaction } from "~db/run-query.server";

/**
 * Determines which videos moderators still need as evidence. Nobody can delete a reported video until a decision has
 * been made on every report about it. A video that was removed by a moderator or refused by the scan stays in the trash
 * for 30 days, and only owners can delete it sooner. Nobody can delete files that are preserved for a report.
 */

/** The message that explains why a video's files can't be deleted. */
export const EVIDENCE_MESSAGE =
  "The files are kept as evidence because of a report, because the scan refused them, or because the uploader can still object to the removal.";

export interface EvidenceOptions {
  /** Whether videos that were removed by a moderator or refused by the scan also count as evidence. */
  isRemovedKept: boolean;
}

/** Returns an SQL condition that is true if a video is evidence. Also works for deleted videos. */
export function isEvidence(videoId: string, { isRemovedKept }: EvidenceOptions): string {
  const isReported = `EXISTS (SELECT 1 FROM report_videos AS reported JOIN reports ON reports.id = report_id
    WHERE reported.video_id = ${videoId} AND reported.decision IS NULL AND reports.state <> 'closed')`;
  const isRemoved = `EXISTS (SELECT 1 FROM video_holds AS removed
    WHERE removed.video_id = ${videoId} AND removed.reason = 'removed')`;
  const isRefused = `EXISTS (SELECT 1 FROM scan_findings WHERE verdict = 'refuse' AND video_id IN (
    SELECT ${videoId} UNION ALL SELECT video.id FROM video_files AS video WHERE video.video_id = ${videoId}))`;
  const causes = [
    isReported,
    isPreserved(videoId),
    ...(isRemovedKept ? [isRemoved, isRefused] : []),
  ];
  return `(${causes.join(" OR ")})`;
}

/** Returns the videos among those given that are evidence. */
export function evidenceAmong(
  videoIds: readonly string[],
  options: EvidenceOptions = { isRemovedKept: true },
): Set<string> {
  const found = prepared<string>(
    `SELECT value FROM json_each(?) WHERE ${isEvidence("json_each.value", options)}`,
  )
    .pluck()
    .all(JSON.stringify(videoIds));
  return new Set(found);
}

/** Records that a video's file was replaced or removed, because moderators have only reviewed the previous file. */
export function recordFileChange(videoIds: readonly string[], now = Date.now()): void {
  requireTransaction();
  prepared(
    `UPDATE report_videos SET file_changed_at = ?
     WHERE video_id IN (SELECT value FROM json_each(?))`,
  ).run(new Date(now).toISOString(), JSON.stringify(videoIds));
}
