import { endPreservation, preserve, preservedUntil } from "~/media/files/preserved.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { type Failure, failure } from "~/platform/failure";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { transaction } from "~db/client.server";
import { done, NO_REPORT } from "./answers";
import { readReport } from "./report-records.server";

const YEAR_MS = 365 * 24 * 3_600_000;
const NOTHING_PRESERVED = "Nothing was preserved.";
const NOT_ENDED = "The preservation was not ended.";

/**
 * Preserves the videos and texts of a report for one year, for example because the authorities ask for it. Nobody can
 * delete them during that time. Videos that are gone are preserved too, since files of theirs may be left. Calling it
 * again restarts the year.
 *
 * @returns the failure: 404 for no such report.
 */
export async function preserveReport(
  reportId: string,
  userId: string,
  now = Date.now(),
): Promise<Failure | ToastMessage> {
  const until = new Date(now + YEAR_MS).toISOString();
  const answer = await transaction((): Failure | ToastMessage => {
    const report = readReport(reportId);
    if (!report) return failure(404, NOTHING_PRESERVED, NO_REPORT);
    const ids = report.videos.map(({ id }) => id);
    preserve(reportId, ids, until);
    for (const videoId of ids.length > 0 ? ids : [undefined]) {
      appendToLog({ action: "preserve", reportId, videoId, userId, detail: { until } }, now);
    }
    return done(`Everything about this report is preserved until ${until.slice(0, 10)}.`);
  });
  if (!("status" in answer))
    await transaction(() => recordActivity({ userId, action: "report-preserve" }));
  return answer;
}

/**
 * Ends the preservation of a report before the year is over.
 *
 * @returns the failure: 409 if it isn't preserved.
 */
export async function endPreservationOf(
  reportId: string,
  userId: string,
  now = Date.now(),
): Promise<Failure | ToastMessage> {
  const isEnded = await transaction(() => {
    if (preservedUntil(reportId) === null || !endPreservation(reportId)) return false;
    appendToLog({ action: "preserve-end", reportId, userId }, now);
    return true;
  });
  if (!isEnded) return failure(409, NOT_ENDED, { detail: "The report isn't preserved." });
  await transaction(() => recordActivity({ userId, action: "report-preserve-end" }));
  return done("This report is no longer preserved. Its videos and text can be deleted again.");
}
