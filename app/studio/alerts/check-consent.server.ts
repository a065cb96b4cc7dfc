import { formatQuantity } from "~/shared/format";
import { dayAfter, WARN_DAYS } from "~/trust/consent/consent";
import { endingSoon } from "~/trust/consent/ending.server";
import { database } from "~db/client.server";
import { openAlerts, raiseAlert, resolveAlert } from "./alert-records.server";

const COUNTED = 1_000;
/** Records that come near their end are told together, so often at most. */
const EVERY_MS = 24 * 3_600_000;

/** An alert is about the records that end after those of the alert before it, within 30 days. */
export async function checkConsent(now: number): Promise<void> {
  const ending = endingSoon(now, COUNTED);
  for (const alert of await openAlerts("consent")) {
    const isLasting = ending.some(({ endsOn }) => endsOn <= (alert.until ?? ""));
    if (!isLasting) await resolveAlert(alert, now);
  }
  const last = await database()
    .selectFrom("alerts")
    .select(["until", "raised_at"])
    .where("kind", "=", "consent")
    .orderBy("until", "desc")
    .executeTakeFirst();
  if (last && now - Date.parse(last.raised_at) < EVERY_MS) return;
  const added = ending.filter(({ endsOn }) => endsOn > (last?.until ?? ""));
  const [first] = added;
  if (!first) return;
  const count = added.length < COUNTED ? formatQuantity(added.length, "record") : "1,000 records";
  const verb = added.length === 1 ? "ends" : "end";
  const sentence = `${count} of consent ${verb} within ${WARN_DAYS} days, the first on ${first.endsOn}. Their videos are hidden then.`;
  await raiseAlert({ kind: "consent", sentence, until: dayAfter(now, WARN_DAYS) }, now);
}
