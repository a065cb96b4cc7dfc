import type { IncomingMessage, ServerResponse } from "node:http";
import { attemptLimit } from "~/server/attempt-limit.server";
import { clientAddressOf } from "~/server/client-address.server";
import { answerPlainly } from "~/server/node/middleware.server";
import { processState } from "~db/runtime.server";
import { deviceMark } from "./device.server";
import { routeOf } from "./route-of";

/** Nobody types faster, and ten failures in 15 minutes are an address's last anyway. */
export const MOST_ATTEMPTS_PER_ADDRESS = 5;
/** A page for each attempt of a flood from many addresses would keep the one thread busy. */
export const MOST_ATTEMPTS_A_SECOND = 20;
const SECOND_MS = 1_000;
const SIGN_IN_ROUTES = ["/auth", "/auth/code", "/auth/passkey"];

const bySource = attemptLimit("sign-ins by address and second", MOST_ATTEMPTS_PER_ADDRESS, 1);
/** All attempts of the current second. */
const total = processState("sign-ins by second", () => ({ second: 0, attempts: 0 }));

/**
 * Answers the sign-in attempts of a flood in a line, before they cost a page. A browser in which an
 * admin has signed in, and every other address, counts for itself: only what an address is allowed
 * counts towards the limit for all, and a known browser never meets that.
 */
export function limitSignInRate(
  request: IncomingMessage,
  response: ServerResponse,
  now = Date.now(),
): boolean {
  const { method, url = "/", headers } = request;
  if (method !== "POST" || !SIGN_IN_ROUTES.includes(routeOf(url))) return false;
  const device = deviceMark(headers.cookie ?? "");
  const source = device ? `device ${device}` : clientAddressOf(request);
  const isFlood = bySource.consume(source, now) !== undefined || (!device && isPastLimit(now));
  if (!isFlood) return false;
  const sentence = "Too many people are signing in. Try again in a few seconds.";
  return answerPlainly(response, 429, sentence, { "Retry-After": "5" });
}

function isPastLimit(now: number): boolean {
  const count = total();
  const second = Math.floor(now / SECOND_MS);
  count.attempts = second === count.second ? count.attempts + 1 : 1;
  count.second = second;
  return count.attempts > MOST_ATTEMPTS_A_SECOND;
}
