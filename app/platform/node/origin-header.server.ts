import type { IncomingMessage } from "node:http";
import { onRequestStart, requestContext } from "./request-context.server";

const origins = new WeakMap<IncomingMessage, string | undefined>();

/**
 * Takes the Origin header of every request out of the framework's hands. Its own comparison knows
 * nothing of PUBLIC_URL (behind a proxy that rewrites Host every form would fail) and answers an
 * empty 500; requireOwnOrigin, which every action calls, answers 403 with a page.
 */
export function replaceOriginCheck(): void {
  onRequestStart(({ request }) => {
    if (!origins.has(request)) origins.set(request, request.headers.origin);
    delete request.headers.origin;
  });
}

/** The Origin header as it was sent. */
export function originOf(request: Request): string | null {
  const node = requestContext()?.request;
  if (node && origins.has(node)) return origins.get(node) ?? null;
  return request.headers.get("Origin");
}

/** The same for Node's request. */
export function originOfNode(request: IncomingMessage): string | undefined {
  return origins.has(request) ? origins.get(request) : request.headers.origin;
}
