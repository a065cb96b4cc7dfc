import type { IncomingMessage } from "node:http";
import { hasOpenSession } from "~/features/permissions/session.server";
import { hasValidToken } from "./tokens/tokens.server";

/**
 * Whether a request is that of an account, by its session or an API token. For limits, which are applied before
 * any route sees the request.
 */
export function isSignedIn({ headers }: IncomingMessage): boolean {
  try {
    return hasOpenSession(headers.cookie ?? "") || hasValidToken(headers.authorization);
  } catch {
    // The route reports what is wrong with the database.
    return false;
  }
}
