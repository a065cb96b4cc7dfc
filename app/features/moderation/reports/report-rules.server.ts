import { sourcesOf } from "~/features/visibility/holds.server";
import { prepared } from "~db/client.server";
import type { ModeratorDecision } from "./decisions";
import type { Report } from "./report-records.server";
import { type NamedVideo, videoExists } from "./report-videos.server";

/** The rules that determine which decisions a report allows in its current state. */

/** The log actions that don't affect a decision. */
const NO_CHANGES = "'preserve', 'preserve-end', 'export'";

/**
 * Returns a version string that changes with the report's state and with each log entry that matters for a decision.
 */
export function reportVersion({ id, state }: Pick<Report, "id" | "state">): string {
  const last = prepared(
    `SELECT max(id) FROM moderation_log WHERE report_id = ? AND action NOT IN (${NO_CHANGES})`,
  )
    .pluck()
    .get(id);
  return `${last ?? 0}-${state}`;
}

/**
 * Returns whether a moderator has removed a video because of this report, or because of any report if none is given.
 */
export function isRemoved(videoId: string, reportId?: string): boolean {
  const reports = sourcesOf(videoId, "removed");
  return reportId === undefined ? reports.length > 0 : reports.includes(reportId);
}

/**
 * Returns the decisions that are possible for one of a report's videos; empty if the video is no longer on this site.
 */
export function choicesFor(
  { id: reportId, state, videos }: Pick<Report, "id" | "state" | "videos">,
  { id, decision }: NamedVideo,
): ModeratorDecision[] {
  if (isRemoved(id, reportId)) {
    // If no videos in a reopened report are waiting for a decision, upholding the removal closes the report.
    const isUpheld = state !== "closed" && !videos.some((video) => isWaiting(reportId, video));
    return decision !== "remove" || isUpheld
      ? ["remove", "restore"]
      : ["counter-notice", "restore"];
  }
  if (!videoExists(id)) return [];
  return isRemoved(id) ? ["keep", "remove"] : ["hide", "keep", "remove"];
}

/**
 * Returns whether no decision has been made yet about a video that is on this site or was removed because of this
 * report.
 */
export function isWaiting(reportId: string, { id, decision }: NamedVideo): boolean {
  return decision === null && (isRemoved(id, reportId) || videoExists(id));
}

/** Returns the reason why a decision isn't possible for a video. */
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
  if (!videoExists(id)) return "The video is no longer on this site.";
  if (!isRemoved(id)) return "The video was not removed.";
  return decision === "hide"
    ? "The video was removed because of another report."
    : "The video was removed because of another report. Restore it there.";
}
