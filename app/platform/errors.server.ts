import { randomInt } from "node:crypto";
import { isRouteErrorResponse } from "@remix-run/react";
import { routeNameOf } from "~/platform/node/request-context.server";
import { type RequestContext, requestContext } from "./node/request-context.server";

/** The characters in references. They exclude 0, O, 1, I and L, because people read references aloud and type them. */
const ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const REFERENCE_LENGTH = 8;

const references = new WeakMap<RequestContext, string>();

/**
 * Logs an unexpected error together with a reference, and returns the reference, which is shown to the visitor. Ignores
 * responses that a route threw on purpose (404, 403, …), and failures after the client has disconnected.
 *
 * @param request only its route is logged, because the URL may contain search queries.
 */
export function logUnexpected(error: unknown, request: Request): string | undefined {
  if (isRouteErrorResponse(error) || request.signal.aborted) return undefined;
  const context = requestContext();
  const reference = (context && references.get(context)) ?? newReference();
  if (context) references.set(context, reference);
  const route = routeNameOf(new URL(request.url).pathname);
  console.error(`Error ${reference}: ${request.method} ${route}`, error);
  return reference;
}

/** Returns the reference for this request's error; empty if there was no error. */
export function errorReference(): string {
  const context = requestContext();
  return (context && references.get(context)) ?? "";
}

function newReference(): string {
  return Array.from({ length: REFERENCE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(
    "",
  );
}
