import { createHmac } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { SITE_VERSION } from "~/server/version.server";

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
 * Sends a message. Of the answer only the status is read; a redirect is no arrival.
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
  const status = await post(address, body, mostMs, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    "User-Agent": `Afterdark/${SITE_VERSION}`,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": webhookSignature(secret, id, timestamp, body),
  });
  if (status >= 200 && status < 300) return;
  throw new Error(`The webhook answered ${status}.`);
}

function post(
  address: string,
  body: string,
  mostMs: number,
  headers: http.OutgoingHttpHeaders,
): Promise<number> {
  const { request } = address.startsWith("https:") ? https : http;
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(mostMs);
    // A connection of its own, which ends with the answer.
    const sent = request(address, { method: "POST", headers, agent: false, signal }, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    sent.once("error", (error: NodeJS.ErrnoException) => {
      const seconds = Math.ceil(mostMs / 1000);
      reject(
        new Error(
          signal.aborted
            ? `The webhook did not answer within ${seconds} seconds.`
            : `The webhook can't be reached (${error.code ?? "unknown"}).`,
        ),
      );
    });
    sent.end(body);
  });
}
