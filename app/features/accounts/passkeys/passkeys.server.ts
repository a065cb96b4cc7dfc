import { changeAndRecord } from "~/platform/activity/activity.server";
import { FormError } from "~/platform/form-error.server";
import { database } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";

const LONGEST_NAME = 60;
/** More than anybody has devices. */
export const MOST_PASSKEYS = 20;

/** A passkey as its owner sees it; times are ISO 8601 UTC. */
export interface Passkey {
  id: string;
  name: string;
  /** The host name at which it works. */
  rpId: string;
  /** Whether its maker copies it between devices. */
  synced: boolean;
  createdAt: string;
  lastUsedAt: string | undefined;
}

/** The passkeys of a user, the oldest first. */
export async function listPasskeys(userId: string): Promise<Passkey[]> {
  const rows = await database()
    .selectFrom("passkeys")
    .select(["id", "name", "rp_id", "synced", "created_at", "last_used_at"])
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    rpId: row.rp_id,
    synced: row.synced === 1,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
  }));
}

/** Whether anybody may sign in with a passkey at this host name: else the page doesn't offer it. */
export async function hasAnyPasskey(rpId: string): Promise<boolean> {
  const row = await database()
    .selectFrom("passkeys")
    .select("id")
    .where("rp_id", "=", rpId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether an account has a password to sign in with. */
export async function hasPassword(userId: string): Promise<boolean> {
  const user = await database()
    .selectFrom("users")
    .select("password_hash")
    .where("id", "=", userId)
    .executeTakeFirst();
  return Boolean(user?.password_hash);
}

/** What a passkey is called: what its owner typed, in one line, or else the device. */
export function passkeyName(typed: string, device: string): string {
  const name = typed.replace(/\s+/g, " ").trim();
  return [...(name || device || "Passkey")].slice(0, LONGEST_NAME).join("");
}

/** @throws {FormError} 404 for a passkey that is not the user's, 422 for an empty name. */
export async function renamePasskey(userId: string, id: string, typed: string): Promise<void> {
  if (!typed.trim()) throw new FormError(422, "A passkey needs a name.");
  const name = passkeyName(typed, "");
  const entry = { userId, action: "passkey-rename", detail: name } as const;
  await changeAndRecord(entry, () => {
    const changes = runChange(
      database()
        .updateTable("passkeys")
        .set({ name })
        .where("user_id", "=", userId)
        .where("id", "=", id),
    );
    if (changes !== 1) throw notFound();
  });
}

/**
 * Removes a passkey of a user, unless it is the last way in: the last that works at this host name,
 * of an account without a password.
 *
 * @throws {FormError} 404 for a passkey that is not the user's, 409 for the last way in.
 */
export async function removePasskey(userId: string, id: string, rpId: string): Promise<void> {
  const passkey = await database()
    .selectFrom("passkeys")
    .select("name")
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!passkey) throw notFound();
  const entry = { userId, action: "passkey-remove", detail: passkey.name } as const;
  await changeAndRecord(entry, () => {
    const changes = runChange(
      database().deleteFrom("passkeys").where("user_id", "=", userId).where("id", "=", id),
    );
    if (changes !== 1) throw notFound();
    const user = firstRow(
      database()
        .selectFrom("users")
        .select(["password_hash"])
        .select((row) =>
          row
            .selectFrom("passkeys")
            .select(row.fn.countAll<number>().as("left"))
            .whereRef("passkeys.user_id", "=", "users.id")
            .where("rp_id", "=", rpId)
            .as("left"),
        )
        .where("id", "=", userId),
    )!;
    if (!user.password_hash && !user.left) {
      throw new FormError(
        409,
        "This is the only way into your account. Set a password or add another passkey first.",
      );
    }
  });
}

/** Removes all passkeys of a user: for the operator, at the command line. */
export async function removePasskeys(userId: string): Promise<void> {
  await database().deleteFrom("passkeys").where("user_id", "=", userId).execute();
}

function notFound(): FormError {
  return new FormError(404, "That passkey has been removed already.");
}
