import { createHmac } from "node:crypto";
import { SITE_VERSION } from "~/platform/version.server";

/** For the connection, the request and the status of the answer together. */
const MOST_MS = 10_000;

/**
 * The signature of a message as https://www.standardwebhooks.com has it: HMAC-SHA256 over
 * `id.timestamp.body`.
 *
 * @param secret text, or base64 after `whsec_`.
 * @param timestamp seconds since 1970.
 */
function webhookSignature(secret: string, id: string, timestamp: number, body: string): string {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : secret;
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

/**
 * Sends a message. Only the status of the answer is read. Redirects aren't followed and count as failures.
 *
 * @throws an Error whose message is a sentence without the address, which may hold a secret.
 */
export async function sendWebhook(
  address: string,
  secret: string,
  { id, body }: { id: string; body: string },
  { mostMs = MOST_MS, now = Date.now() } = {},
): Promise<void> {
  const timestamp = Math.floor(now / 1000);
  const signal = AbortSignal.timeout(mostMs);
  const answer = await fetch(address, {
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
    const seconds = Math.ceil(mostMs / 1000);
    const { code = "unknown" } = (cause ?? {}) as NodeJS.ErrnoException;
    throw new Error(
      signal.aborted
        ? `The webhook did not answer within ${seconds} seconds.`
        : `The webhook can't be reached (${code}).`,
    );
  });
  await answer.body?.cancel().catch(() => {});
  if (!answer.ok) throw new Error(`The webhook answered ${answer.status}.`);
}
