import { prepared } from "~db/client.server";
import type { Role } from "~db/schema";
import { type Permitted, permittedOf } from "./permissions";

/**
 * Returns an account as it is now; undefined for one that is deactivated or gone. Long-running work calls this
 * again before it commits: the account may have been blocked since the request was let in.
 */
export function accountNow(userId: string | null): (Permitted & { id: string }) | undefined {
  const row = prepared(
    "SELECT id, role, may_publish FROM users WHERE id = ? AND deactivated_at IS NULL",
  ).get(userId) as { id: string; role: Role; may_publish: 0 | 1 } | undefined;
  if (!row) return undefined;
  return { id: row.id, ...permittedOf(row) };
}

/** Whether an account was deactivated, or blocked. False for one that never existed. */
export function isDeactivated(userId: string): boolean {
  return (
    prepared("SELECT 1 FROM users WHERE id = ? AND deactivated_at IS NOT NULL").get(userId) !==
    undefined
  );
}
