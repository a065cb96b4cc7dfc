import type { IncomingMessage } from "node:http";
import { parseUrl } from "~/shared/addresses";
import { originOf, originOfNode } from "./node/origin-header.server";
import { settings } from "./settings.server";

/**
 * Holds that a request which changes something was made by a page of this site: by Sec-Fetch-Site
 * where the browser sends it (to https and localhost), else by Origin. Neither is refused too.
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
    throw new Response("This request did not come from a page of this site.", {
      status: 403,
      statusText: "Forbidden",
    });
  }
}

/** The same for Node's request, where no route has seen it yet. */
export function isOwnRequest(request: IncomingMessage): boolean {
  return isOwnOrigin({
    site: request.headers["sec-fetch-site"]?.toString(),
    origin: originOfNode(request),
    host: request.headers.host,
  });
}

/** Behind a proxy that ends TLS the request's own scheme says nothing, so only hosts are compared. */
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
