import { createHmac } from "node:crypto";
import { announceStudioChange } from "~/platform/live/hub.server";
import { sendEmail } from "~/platform/mail/email.server";
import { settings } from "~/platform/settings.server";
import { SITE_VERSION } from "~/platform/version.server";
import { database } from "~db/client.server";
import { sendDue } from "~db/outbox.server";
import { every } from "~db/runtime.server";
import type { AlertNotice } from "~db/schema/operations";
import { ALERT_SUBJECTS, RESOLVED_MESSAGES } from "./alert-records.server";
import { checkAlerts } from "./check-alerts.server";

const CHECK_EVERY_MS = 60_000;
const FIRST_CHECK_MS = 5_000;

/** Starts the job that raises and resolves alerts and sends their notices every minute. */
export function startAlerts(): void {
  const work = async () => {
    await checkAlerts();
    await deliverDue();
  };
  every(CHECK_EVERY_MS, "check the alerts", work, { firstMs: FIRST_CHECK_MS });
}

export async function deliverDue(now = Date.now()): Promise<void> {
  if ((await sendDue("alert_id", send, now)) > 0) announceStudioChange();
}

async function send({ id, alert_id, channel, event }: AlertNotice): Promise<undefined> {
  const { alertWebhook, alertWebhookSecret, alertEmail, smtpUrl, smtpFrom, siteName, publicUrl } =
    settings();
  const alert = await database()
    .selectFrom("alerts")
    .selectAll()
    .where("id", "=", alert_id)
    .executeTakeFirstOrThrow();
  const { kind, raised_at, resolved_at } = alert;
  const isOver = event === "resolved";
  const message = isOver ? RESOLVED_MESSAGES[kind] : alert.message;
  if (channel === "webhook") {
    if (!alertWebhook || !alertWebhookSecret) throw new Error("ALERT_WEBHOOK is not set.");
    const body = JSON.stringify({
      type: `alert.${event}`,
      timestamp: isOver ? resolved_at : raised_at,
      data: {
        alert: alert_id,
        kind,
        message,
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
      subject: `${siteName}: ${SUBJECT_PREFIXES[event]}${ALERT_SUBJECTS[kind]}`,
      text: `${message}${isOver ? `\n\nResolved alert: ${alert.message}` : ""}\n\nSince ${raised_at.slice(0, 16).replace("T", " ")} UTC.${page}\n`,
    },
  );
}

const SUBJECT_PREFIXES: Record<AlertNotice["event"], string> = {
  raised: "Action required: ",
  resolved: "Resolved: ",
  test: "Test alert",
};

/** The time limit for a delivery, which includes connecting, sending the request and receiving the response status. */
const TIMEOUT_MS = 10_000;

/**
 * Returns a message's signature as defined by https://www.standardwebhooks.com: HMAC-SHA256 over `id.timestamp.body`.
 *
 * @param secret text, or base64 after `whsec_`.
 * @param timestamp seconds since 1970.
 */
function webhookSignature(secret: string, id: string, timestamp: number, body: string): string {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : secret;
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

/**
 * Sends a message. Only the response status is read. Redirects aren't followed and count as failures.
 *
 * @throws an Error whose message doesn't contain the URL, which may contain a secret.
 */
export async function sendWebhook(
  address: string,
  secret: string,
  { id, body }: { id: string; body: string },
  { timeoutMs = TIMEOUT_MS, now = Date.now() } = {},
): Promise<void> {
  const timestamp = Math.floor(now / 1000);
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(address, {
    method: "POST",
    body,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": `Afterdark/${SITE_VERSION}`,
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": webhookSignature(secret, id, timestamp, body),
    },
    redirect: "manual",
    signal,
  }).catch(({ cause }: Error) => {
    const seconds = Math.ceil(timeoutMs / 1000);
    const { code = "unknown" } = (cause ?? {}) as NodeJS.ErrnoException;
    throw new Error(
      signal.aborted
        ? `The webhook didn't respond within ${seconds} seconds.`
        : `The webhook can't be reached (${code}).`,
    );
  });
  await response.body?.cancel().catch(() => {});
  if (!response.ok) throw new Error(`The webhook responded with ${response.status}.`);
}
