import { isPreserved } from "~/media/files/preserved.server";
import { prepared } from "~db/client.server";
import { requireTransaction } from "~db/run-query.server";

/**
 * Videos whose files moderators still need. Nobody can delete them until every report about them has been decided.
 * Videos that were removed by a moderator or refused by the scan stay in the trash for 30 days; only owners can delete
 * them sooner. Nobody can delete files that are preserved for a report.
 */

/** The reason why a video's files can't be deleted. */
export const EVIDENCE_MESSAGE =
  "The files are kept as evidence because of a report, because the scan refused them, or because the uploader can still object to the removal.";

export interface EvidenceOptions {
  /** Whether videos that were removed by a moderator or refused by the scan also count as evidence. */
  isRemovedKept: boolean;
}

/** Returns an SQL condition for the id of a video, whether it is deleted or not. */
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

/** Returns the given videos that are evidence. */
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
