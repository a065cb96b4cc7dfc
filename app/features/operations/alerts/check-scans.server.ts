import { formatQuantity } from "~/shared/format";
import { prepared } from "~db/client.server";
import { openAlerts, raiseAlert, resolveAlert } from "./alert-records.server";

/**
 * Raises an alert for files that the scan refused, another one whenever more are refused, and one while files can't be
 * scanned. Resolves them once somebody has decided or the files have been scanned.
 */
export async function checkScans(now: number): Promise<void> {
  const { refused, until, unchecked } = prepared(
    `SELECT count(*) FILTER (WHERE verdict = 'refuse') AS refused,
       max(found_at) FILTER (WHERE verdict = 'refuse') AS until,
       count(*) FILTER (WHERE verdict = 'unchecked') AS unchecked FROM scan_findings`,
  ).get() as { refused: number; until: string | null; unchecked: number };
  const open = await openAlerts("scan-refused");
  if (until === null) for (const alert of open) await resolveAlert(alert, now);
  else if (!open.some((alert) => (alert.until ?? "") >= until)) {
    const sentence = `The scan refused ${formatQuantity(refused, "file")}, the last at ${until.slice(0, 16).replace("T", " ")} UTC. Decide about each one on the Block list page.`;
    await raiseAlert({ kind: "scan-refused", sentence, until }, now);
  }
  const lasting = await openAlerts("scan-unchecked");
  if (unchecked === 0) for (const alert of lasting) await resolveAlert(alert, now);
  else if (lasting.length === 0) {
    const sentence = `${formatQuantity(unchecked, "file")} couldn’t be scanned. New videos stay on hold. The Block list page shows the reasons.`;
    await raiseAlert({ kind: "scan-unchecked", sentence }, now);
  }
}
