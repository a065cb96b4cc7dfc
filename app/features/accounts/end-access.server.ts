import { accountNow, mayNow } from "~/features/permissions/may-change.server";
import { allows, type Permitted } from "~/features/permissions/permissions";
import { endClosedStreams } from "~/platform/live/event-stream.server";
import { database, prepared } from "~db/client.server";
import { allRows, runChange } from "~db/run-query.server";
import { SCOPE_PERMISSIONS } from "./tokens/scopes";
import { readScopes } from "./tokens/tokens.server";

/** The event that ends a user's access. Sessions are identified by the hash of their id. */
export type Ending =
  | { event: "sign-out"; session: string }
  | { event: "sign-out-everywhere" }
  | { event: "sign-out-elsewhere"; kept: string }
  | { event: "password-change"; kept: string; tokensToo: boolean }
  | { event: "password-reset" }
  /** Use this only after the new role has been written. */
  | { event: "role-change" }
  /** Also used when an account is blocked. */
  | { event: "deactivation" }
  /** The account's row is deleted in the last transaction of the deletion. */
  | { event: "deletion" };

/** The number of sessions and tokens that were ended. */
export interface EndedAccess {
  sessions: number;
  tokens: number;
}

/**
 * Ends an account's access. Needs a transaction. No other code may end sessions or tokens. Long-running operations read
 * the account again before they commit (`accountNow`), so they don't have to be notified.
 *
 * | Event | What ends |
 * | --- | --- |
 * | sign-out | this session and its event streams |
 * | sign-out-everywhere | all sessions and streams |
 * | sign-out-elsewhere | all other sessions and streams |
 * | password-change | all other sessions and streams, and tokens if requested |
 * | password-reset | all sessions, streams and tokens |
 * | role-change | streams, and tokens and invitations that the role doesn't allow |
 * | deactivation | all sessions, streams, tokens and invitations, and queued imports |
 * | deletion | the same as for a deactivation, and the account's preview links |
 */
export function endAccess(userId: string, ending: Ending): EndedAccess {
  const ended = {
    sessions: endSessions(userId, ending),
    tokens: endTokens(userId, ending),
  };
  const { event } = ending;
  if (event === "deletion") deactivate(userId);
  if (isOver(ending) || event === "role-change") endInvitations(userId);
  if (isOver(ending)) {
    const access_ended_at = new Date().toISOString();
    runChange(database().updateTable("users").set({ access_ended_at }).where("id", "=", userId));
  }
  if (event === "deletion") {
    runChange(database().deleteFrom("preview_links").where("created_by", "=", userId));
  }
  endClosedStreams();
  return ended;
}

const isOver = ({ event }: Ending) => event === "deactivation" || event === "deletion";

/** Deactivates an account that is being deleted, so that it can't be used if the deletion is interrupted. */
function deactivate(userId: string): void {
  prepared("UPDATE users SET deactivated_at = ? WHERE id = ? AND deactivated_at IS NULL").run(
    new Date().toISOString(),
    userId,
  );
}

function endSessions(userId: string, ending: Ending): number {
  if (ending.event === "role-change") return 0;
  let sessions = database().deleteFrom("sessions").where("user_id", "=", userId);
  if (ending.event === "sign-out") sessions = sessions.where("id_hash", "=", ending.session);
  if ("kept" in ending) sessions = sessions.where("id_hash", "!=", ending.kept);
  return runChange(sessions);
}

function endTokens(userId: string, ending: Ending): number {
  const { event } = ending;
  const tokens = database().deleteFrom("api_tokens").where("user_id", "=", userId);
  if (event === "role-change") {
    const ids = tokensBeyondPermissions(userId);
    return ids.length > 0 ? runChange(tokens.where("id", "in", ids)) : 0;
  }
  const all = event === "password-reset" || isOver(ending);
  return all || (event === "password-change" && ending.tokensToo) ? runChange(tokens) : 0;
}

/** Returns the ids of the tokens with a scope that the account's role no longer allows. */
function tokensBeyondPermissions(userId: string): number[] {
  const account = accountNow(userId);
  const rows = allRows(
    database().selectFrom("api_tokens").select(["id", "scopes"]).where("user_id", "=", userId),
  );
  return rows.filter(({ scopes }) => !account || isBeyond(account, scopes)).map(({ id }) => id);
}

function isBeyond(account: Permitted, scopes: string): boolean {
  if (!allows(account, "/admin/tokens create")) return true;
  return readScopes(scopes).some((scope) => !allows(account, SCOPE_PERMISSIONS[scope]));
}

/** Deletes the pending invitations that were sent by a user who may no longer invite anyone. */
function endInvitations(userId: string): void {
  if (mayNow(userId, "/admin/users")) return;
  prepared("DELETE FROM invitations WHERE invited_by = ? AND used_at IS NULL").run(userId);
}
