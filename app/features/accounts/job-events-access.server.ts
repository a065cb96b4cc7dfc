import { allows } from "~/features/permissions/permissions";
import { isUnchanged, sessionIn } from "~/features/permissions/session.server";

/**
 * Whether the session of a Cookie header may follow the job queue.
 *
 * @returns what tells whether it still may, or undefined if it may not.
 */
export function jobEventsAccess(cookies: string): (() => boolean) | undefined {
  const session = sessionIn(cookies);
  if (!session || !allows(session.user, "/events jobs")) return undefined;
  return () => isUnchanged(session);
}
