import { publish } from "~/live/hub.server";
import { sendEmail } from "~/server/mail/email.server";
import { settings } from "~/server/settings.server";
import { database } from "~db/client.server";
import { every, processState } from "~db/runtime.server";
import type { AlertDeliveryRow, AlertRow } from "~db/schema/alerts";
import { resolvedSentence } from "./alert-records.server";
import { checkAlerts } from "./check-alerts.server";
import { sendWebhook } from "./webhook.server";

const CHECK_EVERY_MS = 60_000;
const FIRST_CHECK_MS = 5_000;
const MINUTE_MS = 60_000;
/** After each attempt that failed; then it is given up, a day and a half after the first. */
const BACK_OFF_MS = [1, 5, 15, 60, 180, 360, 720, 720].map((minutes) => minutes * MINUTE_MS);
const AT_ONCE = 20;

/** Looks for alerts and sends what waits, from now on each minute. */
export function startAlerts(): void {
  const work = async () => {
    await checkAlerts();
    await deliverDue();
  };
  every(CHECK_EVERY_MS, "check the alerts", work, { firstMs: FIRST_CHECK_MS });
}

type Due = AlertDeliveryRow & Pick<AlertRow, "kind" | "sentence" | "raised_at" | "resolved_at">;

const notices = processState("notices to the operator", () => ({
  delivering: undefined as Promise<void> | undefined,
}));

/**
 * Sends the notices whose time has come, one after the other. What arrives and is not recorded, since the
 * process ends between the two, is sent once more with the same id.
 */
export function deliverDue(now = Date.now()): Promise<void> {
  const state = notices();
  state.delivering ??= deliverAll(now).finally(() => {
    state.delivering = undefined;
  });
  return state.delivering;
}

async function deliverAll(now: number): Promise<void> {
  const due: Due[] = await database()
    .selectFrom("alert_deliveries")
    .innerJoin("alerts", "alerts.id", "alert_deliveries.alert_id")
    .selectAll("alert_deliveries")
    .select(["kind", "sentence", "raised_at", "resolved_at"])
    .where("next_at", "<=", new Date(now).toISOString())
    .orderBy("next_at")
    .limit(AT_ONCE)
    .execute();
  for (const delivery of due) await attempt(delivery, now);
  if (due.length > 0) publish("jobs");
}

async function attempt(delivery: Due, now: number): Promise<void> {
  const attempts = delivery.attempts + 1;
  const record = (columns: Partial<AlertDeliveryRow>) =>
    database()
      .updateTable("alert_deliveries")
      .set({ attempts, ...columns })
      .where("id", "=", delivery.id)
      .execute();
  try {
    await send(delivery);
  } catch (error) {
    const wait = BACK_OFF_MS[delivery.attempts];
    const next_at = wait === undefined ? null : new Date(now + wait).toISOString();
    const reason = (error as Error).message;
    if (next_at === null)
      console.error(`An alert could not be sent by ${delivery.channel}: ${reason}`);
    await record({ next_at, reason });
    return;
  }
  await record({ next_at: null, delivered_at: new Date().toISOString(), reason: null });
}

async function send(delivery: Due): Promise<void> {
  const { alertWebhook, alertWebhookSecret, alertEmail, smtpUrl, smtpFrom, siteName, publicUrl } =
    settings();
  const { id, channel, event, kind, raised_at, resolved_at } = delivery;
  const isOver = event === "resolved";
  const sentence = isOver ? resolvedSentence(kind) : delivery.sentence;
  if (channel === "webhook") {
    if (!alertWebhook || !alertWebhookSecret) throw new Error("ALERT_WEBHOOK is not set.");
    const body = JSON.stringify({
      type: `alert.${event}`,
      timestamp: isOver ? resolved_at : raised_at,
      data: {
        alert: delivery.alert_id,
        kind,
        sentence,
        site: siteName,
        url: publicUrl ?? null,
        raised_at,
        resolved_at: isOver ? resolved_at : null,
      },
    });
    await sendWebhook(alertWebhook, alertWebhookSecret, { id, body });
    return;
  }
  if (!alertEmail || !smtpUrl) throw new Error("ALERT_EMAIL is not set.");
  const page = publicUrl ? `\n\n${publicUrl}/admin/alerts` : "";
  await sendEmail(
    smtpUrl,
    { from: smtpFrom ?? alertEmail, to: alertEmail },
    {
      id,
      subject: `${siteName}: ${SUBJECTS[event]}`,
      text: `${sentence}${isOver ? `\n\nIt was: ${delivery.sentence}` : ""}\n\nSince ${raised_at}.${page}\n`,
    },
  );
}

const SUBJECTS: Record<AlertDeliveryRow["event"], string> = {
  raised: "something needs you",
  resolved: "it is over",
  test: "a test of the alerts",
};
