import type { IncomingMessage } from "node:http";
import { onRequestStart, requestContext } from "./request-context.server";
import { settings } from "./settings.server";

const origins = new WeakMap<IncomingMessage, string | undefined>();

/**
 * Takes the Origin header of every request out of the framework's hands. Its own comparison knows
 * nothing of PUBLIC_URL (behind a proxy that rewrites Host every form would fail) and answers an
 * empty 500; requireOwnOrigin, which every action calls, answers 403 with a page.
 */
export function takeOverOriginCheck(): void {
  onRequestStart(({ request }) => {
    if (!origins.has(request)) origins.set(request, request.headers.origin);
    delete request.headers.origin;
  });
}

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

function originOf(request: Request): string | null {
  const node = requestContext()?.request;
  if (node && origins.has(node)) return origins.get(node) ?? null;
  return request.headers.get("Origin");
}

/** Behind a proxy that ends TLS the request's own scheme says nothing, so only hosts are compared. */
function isOwn(origin: string | null, request: Request): boolean {
  if (!origin || !URL.canParse(origin)) return false;
  if (origin === settings().publicUrl) return true;
  const host = request.headers.get("Host") ?? new URL(request.url).host;
  return new URL(origin).host === host.toLowerCase();
}
