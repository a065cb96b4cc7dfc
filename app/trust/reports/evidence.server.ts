import { isPreserved } from "~/media/files/preserved.server";
import { prepared } from "~db/client.server";

/**
 * Videos whose files moderators still need: nothing removes them before every report about them is decided.
 * What a moderator has removed, or the scan of uploads refused, stays in the trash for its 30 days; only owners
 * can delete it sooner. What a report preserves stays whoever wants to remove it.
 */

/** Why the files of a video stay. */
export const EVIDENCE_SENTENCE =
  "Its files are evidence: a report about it hasn't been decided or preserves them, the scan refused it, or the uploader may still object to its removal.";

export interface EvidenceOptions {
  /** Whether what a moderator has removed, or the scan of uploads refused, is evidence too. */
  isRemovedKept: boolean;
}

/** The condition in a query on videos, whether or not they are deleted. */
export function isEvidence(videoId: string, { isRemovedKept }: EvidenceOptions): string {
  const isReported = `EXISTS (SELECT 1 FROM report_videos AS reported JOIN reports ON reports.id = report_id
    WHERE reported.video_id = ${videoId} AND reported.decision IS NULL AND reports.state <> 'closed')`;
  const isRemoved = `EXISTS (SELECT 1 FROM video_holds AS removed
    WHERE removed.video_id = ${videoId} AND removed.reason = 'removed')`;
  const isRefused = `EXISTS (SELECT 1 FROM scan_findings WHERE verdict = 'refuse' AND video_id IN (
    SELECT ${videoId} UNION ALL SELECT film.id FROM video_files AS film WHERE film.video_id = ${videoId}))`;
  const causes = [
    isReported,
    isPreserved(videoId),
    ...(isRemovedKept ? [isRemoved, isRefused] : []),
  ];
  return `(${causes.join(" OR ")})`;
}

/** Those of some videos that are evidence. */
export function evidenceAmong(
  videoIds: readonly string[],
  options: EvidenceOptions = { isRemovedKept: true },
): Set<string> {
  const found = prepared(
    `SELECT value FROM json_each(?) WHERE ${isEvidence("json_each.value", options)}`,
  )
    .pluck()
    .all(JSON.stringify(videoIds)) as string[];
  return new Set(found);
}
