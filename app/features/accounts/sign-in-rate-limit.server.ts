import type { IncomingMessage, ServerResponse } from "node:http";
import { routeOf } from "~/features/permissions/route-of";
import { attemptLimit } from "~/platform/attempt-limit.server";
import { clientAddressOf, widerNetwork } from "~/platform/client-address.server";
import { sendText } from "~/platform/node/middleware.server";
import { isOwnRequest } from "~/platform/origin.server";
import { processState } from "~db/runtime.server";
import { findDeviceAccount } from "./device.server";

/** Nobody can make this many attempts in a second by hand. */
export const MAX_PER_ADDRESS_AND_SECOND = 5;
/** During a flood from many addresses, rendering a page for each attempt would keep the server's only thread busy. */
export const MAX_PER_SECOND = 20;
/** Additional attempts from the same network in the same minute don't lower its priority any further. */
const MAX_COUNTED_PER_MINUTE = 5;
const SECOND_MS = 1_000;
/** The only route that checks passwords. */
const SIGN_IN_ROUTE = "/auth";

const bySource = attemptLimit("sign-ins by address and second", MAX_PER_ADDRESS_AND_SECOND, 1);
const byNetwork = attemptLimit("sign-ins by network and minute", MAX_COUNTED_PER_MINUTE, 60);
/** For each attempt accepted in the current second, the number of attempts from its network in the last minute. */
const current = processState("sign-ins by second", () => ({ second: 0, earlier: [] as number[] }));

/**
 * Responds to a flood of sign-in attempts with a line of text instead of rendering pages. Forms sent from other sites
 * aren't counted; otherwise any site could make its visitors' browsers use up the attempts. Each IP address has a
 * separate limit. All browsers with a valid device cookie for the same account share one limit.
 *
 * Strangers also share a limit. Those whose networks have tried less often in the last minute go first. A network
 * without recent attempts is rejected only if 20 others without recent attempts try in the same second. A flood from a
 * few networks therefore doesn't lock anyone else out, and many networks are harder to obtain than many addresses.
 */
export function limitSignInRate(
  request: IncomingMessage,
  response: ServerResponse,
  now = Date.now(),
): boolean {
  const { method, url = "/", headers } = request;
  if (method !== "POST" || routeOf(url) !== SIGN_IN_ROUTE || !isOwnRequest(request)) return false;
  const account = findDeviceAccount(headers.cookie ?? "");
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
