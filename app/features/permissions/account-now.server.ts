import { prepared } from "~db/client.server";
import type { Role } from "~db/schema";
import { allows, type Permission, type Permitted, permittedOf } from "./permissions";

/**
 * Returns an account as it is now; undefined for one that is deactivated or gone. Long-running work calls this
 * again before it commits: the account may have been blocked since the request was let in.
 *
 * @param since when the work was asked for, ISO 8601 UTC: what was before the account's access ended isn't done, even
 *   if the account is let in again.
 */
export function accountNow(
  userId: string | null,
  since?: string,
): (Permitted & { id: string }) | undefined {
  const row = prepared(
    `SELECT id, role, may_publish FROM users WHERE id = @userId AND deactivated_at IS NULL
       AND (@since IS NULL OR access_ended_at IS NULL OR access_ended_at < @since)`,
  ).get({ userId, since: since ?? null }) as
    | { id: string; role: Role; may_publish: 0 | 1 }
    | undefined;
  if (!row) return undefined;
  return { id: row.id, ...permittedOf(row) };
}

/** Whether an account may do something now. */
export function mayNow(userId: string, permission: Permission): boolean {
  const account = accountNow(userId);
  return account !== undefined && allows(account, permission);
}
