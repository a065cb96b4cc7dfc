import { parseUrl } from "~/shared/addresses";
import { originOf } from "./node/origin-header.server";
import { settings } from "./settings.server";

/**
 * Holds that a request which changes something was made by a page of this site: by Sec-Fetch-Site
 * where the browser sends it (to https and localhost), else by Origin. Neither is refused too.
 *
 * @throws a 403 Response.
 */
export function requireOwnOrigin(request: Request): void {
  const site = request.headers.get("Sec-Fetch-Site");
  const own = site ? site === "same-origin" : isOwn(originOf(request), request);
  if (!own) {
    throw new Response("This request did not come from a page of this site.", {
      status: 403,
      statusText: "Forbidden",
    });
  }
}

/** Behind a proxy that ends TLS the request's own scheme says nothing, so only hosts are compared. */
function isOwn(origin: string | null, request: Request): boolean {
  const parsed = parseUrl(origin ?? "");
  if (!parsed) return false;
  if (origin === settings().publicUrl) return true;
  const host = request.headers.get("Host") ?? new URL(request.url).host;
  return parsed.host === host.toLowerCase();
}
