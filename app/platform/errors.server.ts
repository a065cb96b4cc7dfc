import { randomInt } from "node:crypto";
import { isRouteErrorResponse } from "@remix-run/react";
import { routeNameOf } from "~/platform/node/request-context.server";
import { type RequestContext, requestContext } from "./node/request-context.server";

/** Without 0, O, 1, I and L: a reference is read out and typed in. */
const LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const REFERENCE_LENGTH = 8;

const references = new WeakMap<RequestContext, string>();

/**
 * Logs an error that nobody expected, under a reference that the visitor is shown. Answers that a
 * route gave on purpose (404, 403 ...) are none, nor is what failed because the client has left.
 *
 * @param request only its route is logged: the address holds what was searched for.
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

/** The reference of what went wrong in this request; empty when nothing did. */
export function errorReference(): string {
  const context = requestContext();
  return (context && references.get(context)) ?? "";
}

function newReference(): string {
  return Array.from({ length: REFERENCE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join(
    "",
  );
}
