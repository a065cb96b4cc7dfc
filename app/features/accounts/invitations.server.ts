import { createHash, randomBytes } from "node:crypto";
import { mayNow } from "~/features/permissions/may-change.server";
import { changeAndRecord, recordActivity } from "~/platform/activity/activity.server";
import { FormError } from "~/platform/form-error.server";
import { database, transaction } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import { hashPassword, rejectGuessablePassword, strangerRequester } from "./password.server";
import { choiceOf, columnsOf, ROLE_NOUNS, type RoleChoice } from "./role-choices";
import { findUserByEmail, readEmail } from "./users.server";

/** A token with 256 random bits can't be guessed. */
const TOKEN_BYTES = 32;
const VALID_MS = 48 * 60 * 60 * 1000;
/** How long to keep an expired invitation, so that its link can still show why it doesn't work. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Only the hash is stored, so that a copy of the database can't be used to create accounts. */
const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");
const iso = (time: number) => new Date(time).toISOString();

/** The messages for links that don't work. */
export const INVITATION_MESSAGES = {
  unknown: "This invitation doesn’t exist or was withdrawn.",
  used: "This invitation has already been used.",
  expired: "This invitation has expired. Ask for a new one.",
} as const;

export type InvitationState = "open" | keyof typeof INVITATION_MESSAGES;

/**
 * An invitation as shown to owners. The `id` is for use in forms and doesn't reveal the link. Times are ISO 8601 UTC.
 */
export type Invitation = Awaited<ReturnType<typeof listInvitations>>[number];

/**
 * Invites someone. Replaces an earlier, unused invitation for the same email address.
 *
 * @param ownerId the user who sends the invitation.
 * @returns the link's token, which is shown once and never stored.
 * @throws {FormError} 422 for an invalid email address, or one that already has an account.
 */
export async function invite(
  typedEmail: string,
  choice: RoleChoice,
  ownerId: string,
  now = Date.now(),
): Promise<{ token: string; email: string; expiresAt: string }> {
  const email = readEmail(typedEmail);
  if (await findUserByEmail(email)) {
    throw new FormError(422, `${email} already has an account.`);
  }
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const expiresAt = iso(now + VALID_MS);
  const detail = `${email} as ${ROLE_NOUNS[choice]}`;
  await changeAndRecord({ userId: ownerId, action: "invite", detail }, () => {
    if (!mayInvite(ownerId))
      throw new FormError(422, "You no longer have permission to invite users.");
    runChange(
      database().deleteFrom("invitations").where("email", "=", email).where("used_at", "is", null),
    );
    runChange(
      database()
        .insertInto("invitations")
        .values({
          token_hash: hashOf(token),
          email,
          ...columnsOf(choice),
          invited_by: ownerId,
          created_at: iso(now),
          expires_at: expiresAt,
        }),
    );
  });
  return { token, email, expiresAt };
}

/** An invitation is valid only while its sender is allowed to invite users. */
const mayInvite = (userId: string) => mayNow(userId, "/admin/users");

/** Deletes invitations that expired more than 30 days ago, whether or not they were used. */
export async function deleteOldInvitations(now = Date.now()): Promise<void> {
  await database()
    .deleteFrom("invitations")
    .where("expires_at", "<=", iso(now - KEPT_MS))
    .execute();
}

/** Returns the unused invitations, newest first. */
export async function listInvitations(now = Date.now()) {
  const rows = await database()
    .selectFrom("invitations")
    .selectAll()
    .where("used_at", "is", null)
    .orderBy("created_at", "desc")
    .execute();
  return rows.map((row) => ({
    id: row.token_hash,
    email: row.email,
    choice: choiceOf(row),
    expiresAt: row.expires_at,
    isExpired: row.expires_at <= iso(now),
  }));
}

/** Withdraws an invitation. Returns false if it has already been used or withdrawn. */
export async function withdrawInvitation(id: string, ownerId: string): Promise<boolean> {
  return transaction(() => {
    const invitation = firstRow(
      database()
        .deleteFrom("invitations")
        .where("token_hash", "=", id)
        .where("used_at", "is", null)
        .returning("email"),
    );
    if (!invitation) return false;
    const detail = invitation.email;
    recordActivity({ userId: ownerId, action: "invitation-withdraw", detail });
    return true;
  });
}

/** Returns the state of an invitation link. `role` starts with an article, such as "an editor". */
export async function findInvitation(
  token: string,
  now = Date.now(),
): Promise<{ state: InvitationState; email?: string; role?: string }> {
  const row = await database()
    .selectFrom("invitations")
    .selectAll()
    .where("token_hash", "=", hashOf(token))
    .executeTakeFirst();
  if (!row || (row.used_at === null && !mayInvite(row.invited_by))) return { state: "unknown" };
  if (row.used_at !== null) return { state: "used" };
  if (row.expires_at <= iso(now)) return { state: "expired" };
  return { state: "open", email: row.email, role: ROLE_NOUNS[choiceOf(row)] };
}

/**
 * Creates the account for an invitation. If two requests use a link at the same time, only one succeeds.
 *
 * @returns the id of the new user.
 * @throws {FormError} 404 or 410 if the link no longer works, 409 if an account with the email address has been created
 *   in the meantime, 422 for a weak password.
 */
export async function acceptInvitation(
  token: string,
  password: string,
  now = Date.now(),
): Promise<string> {
  const before = await findInvitation(token, now);
  if (before.state !== "open") throw closedInvitation(before.state);
  const { email = "" } = before;
  rejectGuessablePassword(password, email);
  const requester = strangerRequester(`invitation of ${email.toLowerCase()}`, 0);
  const password_hash = await hashPassword(password, requester);
  const entry = { userId: null, action: "invitation-accept", detail: email } as const;
  return changeAndRecord(entry, () => {
    const row = firstRow(
      database()
        .updateTable("invitations")
        .set({ used_at: iso(now) })
        .where("token_hash", "=", hashOf(token))
        .where("used_at", "is", null)
        .where("expires_at", ">", iso(now))
        .returning(["email", "role", "may_publish", "invited_by"]),
    );
    if (!row) throw closedInvitation("used");
    const { invited_by, ...columns } = row;
    if (!mayInvite(invited_by)) throw closedInvitation("unknown");
    const user = firstRow(
      database()
        .insertInto("users")
        .values({ ...columns, password_hash })
        .onConflict((conflict) => conflict.doNothing())
        .returning("id"),
    );
    if (!user) throw new FormError(409, `${row.email} already has an account.`);
    return user.id;
  });
}

function closedInvitation(state: InvitationState): FormError {
  const reason = state === "open" ? "used" : state;
  return new FormError(reason === "unknown" ? 404 : 410, INVITATION_MESSAGES[reason]);
}
