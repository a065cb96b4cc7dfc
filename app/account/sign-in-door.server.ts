import type { IncomingMessage, ServerResponse } from "node:http";
import { answerPlainly } from "~/server/front-door.server";

/** People sign in now and then; a page for each attempt of a flood would keep the one thread busy. */
export const MOST_ATTEMPTS_A_SECOND = 20;
const SECOND_MS = 1_000;
const SIGN_IN_PATH = /^\/auth(\/code)?(\.data)?(\?|$)/;

let second = 0;
let attempts = 0;

/**
 * Answers the sign-in attempts of a flood in a line, before they cost a page. Those below the rate
 * go on to the limits per address and per account.
 */
export function refuseSignInFlood(
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
  now = Date.now(),
): boolean {
  if (method !== "POST" || !SIGN_IN_PATH.test(url)) return false;
  const current = Math.floor(now / SECOND_MS);
  attempts = current === second ? attempts + 1 : 1;
  second = current;
  if (attempts <= MOST_ATTEMPTS_A_SECOND) return false;
  const sentence = "Too many people are signing in. Try again in a few seconds.";
  return answerPlainly(response, 429, sentence, { "Retry-After": "5" });
}
