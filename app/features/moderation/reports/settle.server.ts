import { hold, releaseHold, sourcesOf } from "~/features/visibility/holds.server";
import { isWaiting } from "./choices.server";
import { closeReport, moveReport } from "./report-records.server";
import { gravestDecision, uncheckedReports, videosOf } from "./report-videos.server";

/**
 * Releases the hold of a report on a video. Holds of other reports stay. Open urgent reports that no moderator has
 * reviewed get a hold of their own, because they may have relied on this one.
 */
export function lift(videoId: string, reportId: string, now: number): void {
  if (!sourcesOf(videoId, "report").includes(reportId)) return;
  holdForOthers(videoId, reportId, now);
  releaseHold({ videoId, reason: "report", sourceId: reportId });
}

/** Holds a video for the open urgent reports that no moderator has reviewed, except one. */
export function holdForOthers(videoId: string, reportId: string, now: number): void {
  for (const { id } of uncheckedReports(videoId)) {
    if (id !== reportId) hold({ videoId, reason: "report", sourceId: id }, now);
  }
}

/**
 * Closes a report once each of its videos on this site has a decision, and reopens it otherwise. A report without a
 * video on this site stays open until a moderator closes it.
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
