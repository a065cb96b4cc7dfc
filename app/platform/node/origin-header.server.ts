import type { IncomingMessage } from "node:http";
import { onRequestStart, requestContext } from "./request-context.server";

const origins = new WeakMap<IncomingMessage, string | undefined>();

/**
 * Hides the Origin header of every request from Remix. Remix ignores PUBLIC_URL when it checks the header, so behind a
 * proxy that rewrites Host, every form would fail with an empty 500 response. Instead, every action calls
 * requireOwnOrigin, which responds with a 403 page.
 */
export function replaceOriginCheck(): void {
  onRequestStart(({ request }) => {
    if (!origins.has(request)) origins.set(request, request.headers.origin);
    delete request.headers.origin;
  });
}

/** Returns the Origin header that the client sent. */
export function originOf(request: Request): string | null {
  const node = requestContext()?.request;
  if (node && origins.has(node)) return origins.get(node) ?? null;
  return request.headers.get("Origin");
}

/** Returns the Origin header that the client sent. Takes Node's request. */
export function originOfNode(request: IncomingMessage): string | undefined {
  return origins.has(request) ? origins.get(request) : request.headers.origin;
}
