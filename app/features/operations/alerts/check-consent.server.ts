import { dayAfter, dayOf, WARN_DAYS } from "~/features/consent/consent";
import { formatQuantity } from "~/shared/format";
import { prepared, transaction } from "~db/client.server";
import { lastRaisedMs, openAlerts, raiseAlert, resolveAlert } from "./alert-records.server";

const MAX_RECORDS = 1_000;
/** Records that end soon share an alert, unless one of them ends before the next alert. */
const EVERY_MS = 24 * 3_600_000;

/**
 * Raises an alert about the consent records of public videos that end within 30 days and that no alert
 * has included yet. Resolves an alert once none of its records is one of these.
 */
export async function checkConsent(now: number): Promise<void> {
  for (const alert of await openAlerts("consent")) {
    if (endingRecords(now, alert.id).length > 0) continue;
    // A video that is hidden now may be published again, which needs a new alert.
    await transaction(() => forgetAlert(alert.id));
    await resolveAlert(alert, now);
  }
  const added = endingRecords(now, null);
  const [first] = added;
  if (!first) return;
  const nextMs = (await lastRaisedMs("consent")) + EVERY_MS;
  if (now < nextMs && first.endsOn > dayOf(nextMs)) return;
  const count =
    added.length < MAX_RECORDS
      ? formatQuantity(added.length, "consent record")
      : "1,000 or more consent records";
  const verb = added.length === 1 ? "ends" : "end";
  const sentence = `${count} ${verb} within ${WARN_DAYS} days, the first on ${first.endsOn}. A video goes on hold on the day its record ends.`;
  const mark = (alertId: string) => {
    const update = prepared("UPDATE video_consents SET ending_alert_id = ? WHERE video_id = ?");
    for (const { videoId } of added) update.run(alertId, videoId);
  };
  await raiseAlert({ kind: "consent", sentence, mark }, now);
}

/** Returns at most 1,000 records that end soon and that this alert, or none, has included. */
function endingRecords(now: number, alertId: string | null): { videoId: string; endsOn: string }[] {
  return prepared(
    `SELECT video_id AS videoId, ends_on AS endsOn FROM video_consents
     JOIN videos ON videos.id = video_id
     WHERE ending_alert_id IS @alertId AND ends_on > @today AND ends_on <= @until AND public
     ORDER BY ends_on LIMIT ${MAX_RECORDS}`,
  ).all({ alertId, today: dayOf(now), until: dayAfter(now, WARN_DAYS) }) as {
    videoId: string;
    endsOn: string;
  }[];
}

function forgetAlert(alertId: string): void {
  prepared(
    "UPDATE video_consents SET ending_alert_id = NULL WHERE ending_alert_id = ? AND ends_on IS NOT NULL",
  ).run(alertId);
}
