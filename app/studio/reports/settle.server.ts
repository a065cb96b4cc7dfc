import { closeReport, moveReport } from "~/trust/reports/report-records.server";
import { gravestDecision, uncheckedReports, videosOf } from "~/trust/reports/report-videos.server";
import { hold, releaseHold, sourcesOf } from "~/visibility/holds.server";
import { isWaiting } from "./choices.server";

/**
 * Ends the hold of a report on a video. Those of other reports stay; an open urgent one that nobody has
 * checked gets its own, if it has relied on this one so far.
 */
export function lift(videoId: string, reportId: string, now: number): void {
  if (!sourcesOf(videoId, "report").includes(reportId)) return;
  holdForOthers(videoId, reportId, now);
  releaseHold({ videoId, reason: "report", sourceId: reportId });
}

/** Holds a video for the open urgent reports that nobody has checked, except one. */
export function holdForOthers(videoId: string, reportId: string, now: number): void {
  for (const { id } of uncheckedReports(videoId)) {
    if (id !== reportId) hold({ videoId, reason: "report", sourceId: id }, now);
  }
}

/**
 * Closes a report when each of its videos that is here has a decision, and opens it when one hasn't. A report
 * without a video that is here waits until a moderator closes it.
 */
export function settleReport(id: string, now: number): void {
  const videos = videosOf(id);
  const decision = gravestDecision(videos);
  if (decision === undefined || videos.some((video) => isWaiting(id, video))) {
    moveReport({ id, from: ["closed"], to: "open" }, now);
  } else {
    closeReport({ id, decision, again: true }, now);
  }
}
