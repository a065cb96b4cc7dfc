import { formatQuantity } from "~/shared/format";
import { prepared } from "~db/client.server";
import { openAlerts, raiseAlert, resolveAlert } from "./alert-records.server";

/**
 * Raises an alert for videos that the scan refused, one more for each that comes later, and one as long as files can't
 * be scanned. They are over once somebody has decided, or the files were scanned.
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
    const sentence = `The scan refused ${formatQuantity(refused, "file")}, the last at ${until.slice(0, 16).replace("T", " ")} UTC. Decide about each on the page Block list.`;
    await raiseAlert({ kind: "scan-refused", sentence, until }, now);
  }
  const lasting = await openAlerts("scan-unchecked");
  if (unchecked === 0) for (const alert of lasting) await resolveAlert(alert, now);
  else if (lasting.length === 0) {
    const sentence = `${formatQuantity(unchecked, "file")} couldn’t be scanned. New ones stay on hold. The page Block list says why.`;
    await raiseAlert({ kind: "scan-unchecked", sentence }, now);
  }
}
