import { createHash, timingSafeEqual } from "node:crypto";
import { bearerToken } from "~/platform/bearer-token";
import { isLoopback } from "~/platform/loopback";
import { requestContext } from "~/platform/node/request-context.server";
import { settings } from "~/platform/settings.server";

/** What proxies add. Behind one on this machine, every visitor's connection comes from loopback. */
const OF_A_PROXY =
  /^(forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip|fastly-client-ip)$/i;
const NO_STORE = { "Cache-Control": "no-store", "Content-Type": "text/plain; charset=utf-8" };

/**
 * The answer to who may not read the metrics; undefined for who may. With METRICS_TOKEN it is who sends
 * the token. Without, it is who asks this machine itself from this machine: the peer of the connection,
 * and the name in `Host`, are loopback, and no proxy has left a header.
 */
export function refuseMetrics(request: Request): Response | undefined {
  const { metricsToken } = settings();
  if (metricsToken !== undefined) {
    const sent = bearerToken(request.headers.get("Authorization"));
    if (sent !== undefined && isSame(sent, metricsToken)) return undefined;
    const headers = { ...NO_STORE, "WWW-Authenticate": 'Bearer realm="metrics"' };
    return new Response("Send METRICS_TOKEN as a bearer token.\n", { status: 401, headers });
  }
  if (isFromThisMachine(request)) return undefined;
  return new Response("Without METRICS_TOKEN, the metrics are for this machine alone.\n", {
    status: 403,
    headers: NO_STORE,
  });
}

function isFromThisMachine(request: Request): boolean {
  const socket = requestContext()?.request.socket;
  const peer = socket?.remoteAddress?.replace(/^::ffff:/i, "");
  if (peer !== "::1" && !isLoopback(peer ?? "")) return false;
  if ([...request.headers.keys()].some((name) => OF_A_PROXY.test(name))) return false;
  const host = request.headers.get("Host") ?? requestContext()?.request.headers.host ?? "";
  return isLoopback(host.replace(/:\d+$/, "").toLowerCase());
}

/** Of digests, which are as long as each other: how long it takes says nothing of the token. */
function isSame(sent: string, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(sent), digest(token));
}
