import { NOT_ALLOWED } from "~/features/permissions/guard.server";
import { mayNow } from "~/features/permissions/may-change.server";
import { endPreservation, preserve, preservedUntil } from "~/media/files/preserved.server";
import { recordActivity } from "~/platform/activity/activity.server";
import type { ActivityAction } from "~/platform/activity/activity-labels";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { type Failure, failure } from "~/platform/failure";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { transaction } from "~db/client.server";
import { done, NO_REPORT } from "./decide.server";
import {
  hideAddedVideo,
  hidesImmediately,
  holdForOthers,
  releaseReportHold,
  updateReportState,
} from "./report-holds.server";
import { eraseReport, moveReport, type Report, readReport } from "./report-records.server";
import { isRemoved } from "./report-rules.server";
import { addReportVideos, removeReportVideo, videoExists } from "./report-videos.server";
import { parseVideoIds } from "./video-links";

const NOT_ADDED = "No video was added.";
const NOT_REMOVED = "The video was not removed from the report.";
const MAX_VIDEOS = 100;

/**
 * Changes a report in one transaction, which also records the change in the activity log unless the change is refused.
 */
function changeReport(
  reportId: string,
  entry: { userId: string; action: ActivityAction },
  refusal: string,
  change: (report: Report) => Failure | ToastMessage,
): Promise<Failure | ToastMessage> {
  return transaction((): Failure | ToastMessage => {
    if (!mayNow(entry.userId, "/admin/reports/:id"))
      return failure(403, refusal, { detail: NOT_ALLOWED });
    const report = readReport(reportId);
    if (!report) return failure(404, refusal, NO_REPORT);
    const answer = change(report);
    if (!("status" in answer)) recordActivity(entry);
    return answer;
  });
}

/**
 * Adds videos to a report, for a moderator who knows which videos the reporter means. The added videos wait for a
 * decision, so a closed report is reopened. An urgent report hides these videos just as it hides the videos that the
 * reporter specified.
 *
 * @param typed URLs of videos, or one id.
 * @returns the failure, if any: 404 if there is no such report, 422 if a video isn't on this site.
 */
export function addVideosToReport(
  reportId: string,
  typed: string,
  userId: string,
  now = Date.now(),
): Promise<Failure | ToastMessage> {
  const found = parseVideoIds(typed);
  const ids = found.length > 0 ? found : [typed.trim()];
  const entry = { userId, action: "report-videos" } as const;
  return changeReport(reportId, entry, NOT_ADDED, (report) => {
    const missing = ids.find((id) => !videoExists(id));
    if (missing !== undefined) {
      const detail = missing
        ? `There is no video with the ID ${missing.slice(0, 60)} in the catalogue or the trash.`
        : "Enter the URL or ID of a video.";
      return failure(422, NOT_ADDED, { detail });
    }
    const isNew = (id: string) => !report.videos.some((video) => video.id === id);
    const fresh = ids.filter(isNew);
    if (fresh.length === 0) return done("This video is already in the report.");
    if (report.videos.length + fresh.length > MAX_VIDEOS) {
      const detail = `A report can have at most ${MAX_VIDEOS} videos.`;
      return failure(422, NOT_ADDED, { detail });
    }
    addReportVideos(reportId, fresh);
    const until = preservedUntil(reportId);
    if (until !== null) preserve(reportId, fresh, until);
    for (const videoId of fresh) {
      hideAddedVideo(report, videoId, now);
      log(report, "add-video", videoId, userId, now);
    }
    moveReport({ id: reportId, from: ["closed"], to: "open" }, now);
    return done(fresh.length === 1 ? "Video added." : `${fresh.length} videos added.`);
  });
}

/**
 * Removes a video that is in a report by mistake, and releases the report's hold on the video.
 *
 * @returns the failure, if any: 404 if there is no such report or the video isn't in it, 409 if the video was removed
 * because of the report.
 */
export function removeVideoFromReport(
  reportId: string,
  videoId: string,
  userId: string,
  now = Date.now(),
): Promise<Failure | ToastMessage> {
  const entry = { userId, action: "report-videos" } as const;
  return changeReport(reportId, entry, NOT_REMOVED, (report) => {
    const named = report.videos.find(({ id }) => id === videoId);
    if (!named) {
      return failure(404, NOT_REMOVED, { detail: "This video is no longer in the report." });
    }
    if (isRemoved(videoId, reportId)) {
      const detail = "This video was removed because of the report. Restore it first.";
      return failure(409, NOT_REMOVED, { detail });
    }
    removeReportVideo(reportId, videoId);
    releaseReportHold(videoId, reportId, now);
    // Because of this decision, later urgent reports didn't put the video on hold. The decision no longer counts, so
    // they put it on hold now.
    const didOthersRely = named.decision !== null && hidesImmediately(report.kind);
    if (didOthersRely) holdForOthers(videoId, reportId, now);
    log(report, "take-out-video", videoId, userId, now);
    if (report.state !== "closed") updateReportState(reportId, now);
    return done("Video removed from the report.");
  });
}

function log({ id, kind }: Report, action: string, videoId: string, userId: string, now: number) {
  appendToLog({ action, reportId: id, videoId, userId, detail: { kind } }, now);
}

const YEAR_MS = 365 * 24 * 3_600_000;
const NOT_ENDED = "Preservation wasn’t stopped.";

/**
 * Preserves a report's videos and text for one year, for example because the authorities have requested it. Nobody can
 * delete them during that time. Deleted videos are preserved too, because some of their files may still exist. Calling
 * this function again restarts the year.
 *
 * @returns the failure, if any: 404 if there is no such report.
 */
export function preserveReport(
  reportId: string,
  userId: string,
  now = Date.now(),
): Promise<Failure | ToastMessage> {
  const until = new Date(now + YEAR_MS).toISOString();
  const entry = { userId, action: "report-preserve" } as const;
  return changeReport(reportId, entry, "Nothing was preserved.", (report) => {
    const ids = report.videos.map(({ id }) => id);
    preserve(reportId, ids, until);
    for (const videoId of ids.length > 0 ? ids : [undefined]) {
      appendToLog({ action: "preserve", reportId, videoId, userId, detail: { until } }, now);
    }
    return done(`Everything about this report is preserved until ${until.slice(0, 10)}.`);
  });
}

/**
 * Ends a report's preservation before the year is over.
 *
 * @returns the failure, if any: 409 if the report isn't preserved.
 */
export function endReportPreservation(
  reportId: string,
  userId: string,
  now = Date.now(),
): Promise<Failure | ToastMessage> {
  const entry = { userId, action: "report-preserve-end" } as const;
  return changeReport(reportId, entry, NOT_ENDED, () => {
    if (preservedUntil(reportId) === null || !endPreservation(reportId)) {
      return failure(409, NOT_ENDED, { detail: "The report isn’t preserved." });
    }
    appendToLog({ action: "preserve-end", reportId, userId }, now);
    return done("This report is no longer preserved. Its videos and text can be deleted again.");
  });
}

const FAILED = "Nothing was deleted.";

/**
 * Deletes a closed report's text before REPORT_KEEP has passed, because the reporter has requested it.
 *
 * @returns the failure, if any: 404 if there is no such report, 409 if it is open, erased or preserved.
 */
export function eraseClosedReport(id: string, userId: string): Promise<Failure | ToastMessage> {
  return changeReport(id, { userId, action: "report-erase" }, FAILED, () => {
    const until = preservedUntil(id);
    if (until !== null) {
      const detail = `The report is preserved until ${until.slice(0, 10)}.`;
      return failure(409, FAILED, { detail });
    }
    if (!eraseReport(id)) {
      const detail = "This report is still open, or its text was already deleted.";
      return failure(409, FAILED, { detail });
    }
    appendToLog({ action: "erase", reportId: id, userId });
    return done("The text of the report was deleted.");
  });
}
