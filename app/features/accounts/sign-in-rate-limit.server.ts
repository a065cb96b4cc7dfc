import type { IncomingMessage, ServerResponse } from "node:http";
import { routeOf } from "~/features/permissions/route-of";
import { attemptLimit } from "~/platform/attempt-limit.server";
import { clientAddressOf, widerNetwork } from "~/platform/client-address.server";
import { sendText } from "~/platform/node/middleware.server";
import { isOwnRequest } from "~/platform/origin.server";
import { processState } from "~db/runtime.server";
import { accountOfDevice } from "./device.server";

/** Nobody types faster. */
export const MAX_PER_ADDRESS_AND_SECOND = 5;
/** A page for each attempt of a flood from many addresses would keep the one thread busy. */
export const MAX_PER_SECOND = 20;
/** More attempts of a network in a minute make no difference. */
const MAX_COUNTED_PER_MINUTE = 5;
const SECOND_MS = 1_000;
/** The one route that checks passwords. */
const SIGN_IN_ROUTE = "/auth";

const bySource = attemptLimit("sign-ins by address and second", MAX_PER_ADDRESS_AND_SECOND, 1);
const byNetwork = attemptLimit("sign-ins by network and minute", MAX_COUNTED_PER_MINUTE, 60);
/** For each attempt that was let through in this second, how many its network had made in the last minute. */
const current = processState("sign-ins by second", () => ({ second: 0, earlier: [] as number[] }));

/**
 * Answers the sign-in attempts of a flood in a line, before they cost a page. Forms of other sites aren't counted, or
 * any site could have its visitors' browsers use up the attempts. Each address counts for itself, and so does each
 * account for the browsers with a valid mark of it.
 *
 * Strangers also share a limit, in the order of how often their networks have tried in the last minute. So a network
 * that hasn't tried is only refused when 20 others that haven't either try in the same second: a flood from a few
 * networks keeps nobody else out, and many networks are scarcer than many addresses.
 */
export function limitSignInRate(
  request: IncomingMessage,
  response: ServerResponse,
  now = Date.now(),
): boolean {
  const { method, url = "/", headers } = request;
  if (method !== "POST" || routeOf(url) !== SIGN_IN_ROUTE || !isOwnRequest(request)) return false;
  const account = accountOfDevice(headers.cookie ?? "");
  const address = clientAddressOf(request);
  const source = account ? `known browsers ${account}` : address;
  const isFlood =
    bySource.consume(source, now) !== undefined || (!account && isPastLimit(address, now));
  if (!isFlood) return false;
  const message = "Too many people are signing in. Try again in a few seconds.";
  return sendText(response, 429, message, { "Retry-After": "5" });
}

function isPastLimit(address: string, now: number): boolean {
  const network = widerNetwork(address);
  const own = byNetwork.attempts(network, now);
  byNetwork.consume(network, now);
  const state = current();
  const second = Math.floor(now / SECOND_MS);
  if (second !== state.second) Object.assign(state, { second, earlier: [] });
  if (state.earlier.filter((each) => each <= own).length >= MAX_PER_SECOND) return true;
  state.earlier.push(own);
  return false;
}
