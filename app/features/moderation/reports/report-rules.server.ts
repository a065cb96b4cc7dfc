import { sourcesOf } from "~/features/visibility/holds.server";
import { prepared } from "~db/client.server";
import type { ModeratorDecision } from "./decisions";
import type { Report } from "./report-records.server";
import { isHere, type NamedVideo } from "./report-videos.server";

/** What can be decided about a report at this moment, and why not. */

/** Log actions that don't change what a decision is based on. */
const NO_CHANGES = "'preserve', 'preserve-end', 'export'";

/** Changes with each entry in the log that matters for a decision, and with each change of its state. */
export function reportVersion({ id, state }: Pick<Report, "id" | "state">): string {
  const last = prepared(
    `SELECT max(id) FROM moderation_log WHERE report_id = ? AND action NOT IN (${NO_CHANGES})`,
  )
    .pluck()
    .get(id);
  return `${last ?? 0}-${state}`;
}

/** Whether a moderator has removed a video because of this report, or of any if none is given. */
export function isRemoved(videoId: string, reportId?: string): boolean {
  const reports = sourcesOf(videoId, "removed");
  return reportId === undefined ? reports.length > 0 : reports.includes(reportId);
}

/** Returns what a moderator can decide now about one video of a report; empty for a video that is no longer on this site. */
export function choicesFor(
  { id: reportId, state, videos }: Pick<Report, "id" | "state" | "videos">,
  { id, decision }: NamedVideo,
): ModeratorDecision[] {
  if (isRemoved(id, reportId)) {
    // If a reopened report has no other video to decide about, upholding the removal closes it.
    const isUpheld = state !== "closed" && !videos.some((video) => isWaiting(reportId, video));
    return decision !== "remove" || isUpheld
      ? ["remove", "restore"]
      : ["counter-notice", "restore"];
  }
  if (!isHere(id)) return [];
  return isRemoved(id) ? ["keep", "remove"] : ["hide", "keep", "remove"];
}

/** Whether a video still needs a decision: it is on this site or was removed by this report, and has none yet. */
export function isWaiting(reportId: string, { id, decision }: NamedVideo): boolean {
  return decision === null && (isRemoved(id, reportId) || isHere(id));
}

export function refusalFor(
  decision: ModeratorDecision,
  reportId: string,
  { id }: NamedVideo,
): string {
  if (isRemoved(id, reportId)) {
    return decision === "counter-notice"
      ? "The counter-notice has already been recorded. Decide whether to restore the video."
      : "The video was removed. Restore it instead.";
  }
  if (!isHere(id)) return "The video is no longer on this site.";
  if (!isRemoved(id)) return "The video was not removed.";
  return decision === "hide"
    ? "The video was removed because of another report."
    : "Another report removed the video. Restore it there.";
}
