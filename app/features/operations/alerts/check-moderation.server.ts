import { dayAfter, dayOf, WARN_DAYS } from "~/features/consent/consent";
import { countUnreviewedPublic } from "~/features/moderation/reports/report-videos.server";
import { settings } from "~/platform/settings.server";
import { formatQuantity } from "~/shared/format";
import { prepared, transaction } from "~db/client.server";
import type { AlertKind } from "~db/schema/operations";
import {
  lastRaisedMs,
  openAlerts,
  raiseAlert,
  resolveAlert,
  updateAlert,
} from "./alert-records.server";

const HOUR_MS = 3_600_000;
/** A quarter of the 48 hours within which reports of urgent kinds must be handled. */
const DUE_SOON_HOURS = 12;
/** The maximum number of reports per check, because a flood of reports must not block the event loop. */
const MAX_REPORTS = 1_000;
/**
 * The minimum interval between alerts. Reports share an alert, so that a flood of reports doesn't cause a flood of
 * notices.
 */
const REPORT_ALERT_EVERY_MS = 15 * 60_000;

/** Selects the open reports that a kind of alert covers. Deadlines are in ISO 8601 format (UTC). */
interface ReportAlert {
  kind: AlertKind;
  /** The column of `reports` that stores which alert of this kind included a report. */
  column: "urgent_alert_id" | "due_alert_id" | "overdue_alert_id";
  /** An SQL condition in addition to the deadline. */
  where?: string;
  /** Only deadlines up to this time are included; no limit if undefined. */
  upTo?: string;
  after?: string;
  message(reports: string, isOne: boolean, first: string): string;
}

/**
 * Raises alerts about reports that can't wait because they are of an urgent kind, due within 12 hours, or overdue. Each
 * report is included in one alert of each kind, and again after it is reopened. An alert is resolved once none of its
 * reports are waiting anymore. Alerts don't reveal who reported which video.
 */
export async function checkReports(now: number): Promise<void> {
  const at = new Date(now).toISOString();
  const soon = new Date(now + DUE_SOON_HOURS * HOUR_MS).toISOString();
  await updateReportAlerts(now, {
    kind: "reports-urgent",
    column: "urgent_alert_id",
    where: "kind IN ('consent', 'under-age')",
    message: (reports, isOne, first) =>
      `${reports} about missing consent or possible minors ${isOne ? "is due" : "are due, the first"} by ${first}.`,
  });
  await updateReportAlerts(now, {
    kind: "reports-due",
    column: "due_alert_id",
    after: at,
    upTo: soon,
    message: (reports, isOne, first) =>
      `${reports} ${isOne ? "is due" : `are due within ${DUE_SOON_HOURS} hours, the first`} by ${first}.`,
  });
  await updateReportAlerts(now, {
    kind: "reports-overdue",
    column: "overdue_alert_id",
    upTo: at,
    message: (reports, isOne, first) =>
      `${reports} ${isOne ? "has been overdue" : "are overdue, the first"} since ${first}.`,
  });
  await checkUnhidden(now);
}

/** Raises an alert about videos that stayed public only because REPORT_HIDE_LIMIT was reached. */
async function checkUnhidden(now: number): Promise<void> {
  const videos = settings().reportHide ? countUnreviewedPublic(MAX_REPORTS) : 0;
  const quantity = videos < MAX_REPORTS ? formatQuantity(videos, "video") : "1,000 or more videos";
  const message = `${quantity} reported for missing consent or possible minors ${videos === 1 ? "is" : "are"} still public because REPORT_HIDE_LIMIT was reached.`;
  await updateAlert("reports-limit", videos > 0 ? message : undefined, videos === 0, now);
}

async function updateReportAlerts(now: number, waiting: ReportAlert): Promise<void> {
  const { kind, column, message } = waiting;
  for (const alert of await openAlerts(kind)) {
    if (waitingReports(waiting, alert.id).length === 0) await resolveAlert(alert, now);
  }
  const added = waitingReports(waiting, null);
  const [first] = added;
  if (!first || now < (await lastRaisedMs(kind)) + REPORT_ALERT_EVERY_MS) return;
  const quantity =
    added.length < MAX_REPORTS ? formatQuantity(added.length, "report") : "1,000 or more reports";
  const time = `${first.dueAt.slice(0, 16).replace("T", " ")} UTC`;
  const mark = (alertId: string) => {
    const update = prepared(`UPDATE reports SET ${column} = ? WHERE id = ?`);
    for (const { id } of added) update.run(alertId, id);
  };
  await raiseAlert({ kind, message: message(quantity, added.length === 1, time), mark }, now);
}

/**
 * Returns up to 1,000 waiting reports that were included in the given alert. If the alert is null, returns reports that
 * haven't been included in any alert of this kind.
 */
function waitingReports(
  { column, where = "true", after = "", upTo = "9999" }: ReportAlert,
  alertId: string | null,
): { id: string; dueAt: string }[] {
  return prepared<{ id: string; dueAt: string }>(
    `SELECT id, due_at AS dueAt FROM reports
     WHERE state = 'open' AND ${column} IS @alertId AND due_at > @after AND due_at <= @upTo AND ${where}
     ORDER BY due_at LIMIT ${MAX_REPORTS}`,
  ).all({ alertId, after, upTo });
}

const MAX_RECORDS = 1_000;
/** Consent records that expire soon share an alert, unless one of them expires before the next alert. */
const CONSENT_ALERT_EVERY_MS = 24 * 3_600_000;

/**
 * Raises an alert about consent records that expire within 30 days, belong to public videos and haven't been included
 * in an alert yet. Resolves an alert once its records no longer meet these conditions.
 */
export async function checkConsent(now: number): Promise<void> {
  for (const alert of await openAlerts("consent")) {
    if (expiringRecords(now, alert.id).length > 0) continue;
    // A video that is hidden now may be published again, which requires a new alert.
    await transaction(() =>
      prepared(
        "UPDATE video_consents SET expiry_alert_id = NULL WHERE expiry_alert_id = ? AND ends_on IS NOT NULL",
      ).run(alert.id),
    );
    await resolveAlert(alert, now);
  }
  const added = expiringRecords(now, null);
  const [first] = added;
  if (!first) return;
  const nextMs = (await lastRaisedMs("consent")) + CONSENT_ALERT_EVERY_MS;
  if (now < nextMs && first.endsOn > dayOf(nextMs)) return;
  const count =
    added.length < MAX_RECORDS
      ? formatQuantity(added.length, "consent record")
      : "1,000 or more consent records";
  const verb = added.length === 1 ? "ends" : "end";
  const message = `${count} ${verb} within ${WARN_DAYS} days, the first on ${first.endsOn}. A video goes on hold on the day its record ends.`;
  const mark = (alertId: string) => {
    const update = prepared("UPDATE video_consents SET expiry_alert_id = ? WHERE video_id = ?");
    for (const { videoId } of added) update.run(alertId, videoId);
  };
  await raiseAlert({ kind: "consent", message, mark }, now);
}

/**
 * Returns up to 1,000 records that expire soon and were included in the given alert. If the alert is null, returns
 * records that haven't been included in any alert.
 */
function expiringRecords(
  now: number,
  alertId: string | null,
): { videoId: string; endsOn: string }[] {
  return prepared<{
    videoId: string;
    endsOn: string;
  }>(
    `SELECT video_id AS videoId, ends_on AS endsOn FROM video_consents
     JOIN videos ON videos.id = video_id
     WHERE expiry_alert_id IS @alertId AND ends_on > @today AND ends_on <= @until AND public
     ORDER BY ends_on LIMIT ${MAX_RECORDS}`,
  ).all({ alertId, today: dayOf(now), until: dayAfter(now, WARN_DAYS) });
}
