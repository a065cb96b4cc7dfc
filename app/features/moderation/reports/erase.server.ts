import { preservedUntil } from "~/media/files/preserved.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { type Failure, failure } from "~/platform/failure";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { transaction } from "~db/client.server";
import { done, NO_REPORT } from "./answers";
import { eraseReport, readReport } from "./report-records.server";

const FAILED = "Nothing was deleted.";

/**
 * Deletes the texts of a closed report before REPORT_KEEP has passed, for a reporter who asks for it.
 *
 * @returns the failure: 404 for no such report, 409 for one that is open, erased or preserved.
 */
export async function eraseClosedReport(
  id: string,
  userId: string,
): Promise<Failure | ToastMessage> {
  const report = readReport(id);
  if (!report) return failure(404, FAILED, NO_REPORT);
  const until = preservedUntil(id);
  if (until !== null) {
    const detail = `The report is preserved until ${until.slice(0, 10)}.`;
    return failure(409, FAILED, { detail });
  }
  const isErased = await transaction(() => {
    if (!eraseReport(id)) return false;
    appendToLog({ action: "erase", reportId: id, userId });
    return true;
  });
  if (!isErased) {
    const detail = "Only the text of a closed report can be deleted, and only once.";
    return failure(409, FAILED, { detail });
  }
  await transaction(() => recordActivity({ userId, action: "report-erase" }));
  return done("The text of the report was deleted.");
}
