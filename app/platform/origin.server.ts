import type { IncomingMessage } from "node:http";
import { parseUrl } from "~/shared/addresses";
import { originOf, originOfNode } from "./node/origin-header.server";
import { settings } from "./settings.server";

/**
 * Checks that a request that changes something comes from a page of this site. Checks the Sec-Fetch-Site header, which
 * browsers send to https URLs and localhost, or the Origin header if there is no Sec-Fetch-Site header. Refuses a
 * request with neither header.
 *
 * @throws a 403 Response.
 */
export function requireOwnOrigin(request: Request): void {
  const { headers, url } = request;
  const isOwn = isOwnOrigin({
    site: headers.get("Sec-Fetch-Site"),
    origin: originOf(request),
    host: headers.get("Host") ?? new URL(url).host,
  });
  if (!isOwn) {
    throw new Response("This request didn’t come from a page of this site.", {
      status: 403,
      statusText: "Forbidden",
    });
  }
}

/**
 * Whether a request comes from a page of this site. Takes Node's request, so that it can be called before the request
 * reaches a route.
 */
export function isOwnRequest(request: IncomingMessage): boolean {
  return isOwnOrigin({
    site: request.headers["sec-fetch-site"]?.toString(),
    origin: originOfNode(request),
    host: request.headers.host,
  });
}

/**
 * Compares only the hosts, because behind a proxy that terminates TLS, the request's scheme differs from the visitor's.
 */
function isOwnOrigin({
  site,
  origin,
  host,
}: Record<"site" | "origin" | "host", string | null | undefined>): boolean {
  if (site) return site === "same-origin";
  const parsed = parseUrl(origin ?? "");
  if (!parsed) return false;
  return origin === settings().publicUrl || parsed.host === host?.toLowerCase();
}
