import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { requestContext } from "./request-context.server";

const references = new WeakMap<IncomingMessage, string>();

/**
 * Writes a failure nobody expected to the log, under a short reference that the visitor is shown
 * instead of it. Failures of one request share theirs.
 */
export function reportFailure(error: unknown): string {
  const request = requestContext()?.request;
  const reference = failureReference() || randomBytes(4).toString("hex");
  if (request) references.set(request, reference);
  console.error(`[${reference}]`, error);
  return reference;
}

/** The reference of what has failed in this request; empty when nothing has. */
export function failureReference(): string {
  const request = requestContext()?.request;
  return (request && references.get(request)) ?? "";
}

/**
 * What `load` gives, or `instead` with the reference under which the reason stands in the log: for
 * a page that can say so in its own place. A thrown Response, as a redirect, goes on.
 */
export async function attempt<T>(
  load: () => Promise<T>,
  instead: T,
): Promise<{ value: T; reference?: string }> {
  try {
    return { value: await load() };
  } catch (error) {
    if (error instanceof Response) throw error;
    return { value: instead, reference: reportFailure(error) };
  }
}
