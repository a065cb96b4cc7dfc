import { formatBytes } from "~/shared/format-bytes";
import { prepared } from "~db/client.server";
import type { AlertKind } from "~db/schema/operations";
import { readTransferMonth } from "../statistics/transfer-days.server";
import { openAlerts, raiseAlert, resolveAlert } from "./alert-records.server";

/** The share of the budget from which on there is a warning. */
const NEAR = 0.8;

/**
 * Raises one alert in a month when 80% of TRANSFER_BUDGET_BYTES are sent and one when all of it is, and resolves
 * them when the month is over or the budget was changed.
 */
export async function checkTransfer(now: number): Promise<void> {
  const { month, bytes, budget } = readTransferMonth(now);
  const period = budget === undefined ? "" : `${month} ${budget}`;
  const kinds = [
    { kind: "transfer-over", from: budget },
    { kind: "transfer-near", from: budget && budget * NEAR },
  ] as const;
  let isRaised = false;
  for (const { kind, from } of kinds) {
    for (const alert of await openAlerts(kind)) {
      if (alert.until !== period) await resolveAlert(alert, now);
    }
    if (budget === undefined || from === undefined || bytes < from) continue;
    // Of two thresholds that are passed at the same time, only the higher one is news.
    if (!isRaised && !wasRaised(kind, period)) {
      const sentence = `${formatBytes(bytes)} of video files have been sent in ${month} (UTC). The budget of the month is ${formatBytes(budget)}.`;
      await raiseAlert({ kind, sentence, until: period }, now);
    }
    isRaised = true;
  }
}

/** Whether there has been such an alert in this month and for this budget. */
function wasRaised(kind: AlertKind, period: string): boolean {
  return (
    prepared("SELECT 1 FROM alerts WHERE kind = ? AND until = ?").pluck().get(kind, period) === 1
  );
}
