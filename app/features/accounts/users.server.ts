import { randomBytes } from "node:crypto";
import { type ActivityEntry, changeAndRecord } from "~/platform/activity/activity.server";
import { FormError } from "~/platform/form-error.server";
import { settings } from "~/platform/settings.server";
import { database } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import { type Ending, endAccess } from "./end-access.server";
import { hashPassword, userRequester } from "./password.server";

const MAX_EMAIL_LENGTH = 254;

/** Returns the account with the given email address, ignoring case. */
export async function findUserByEmail(email: string) {
  return database()
    .selectFrom("users")
    .selectAll()
    .where("email", "=", email.trim())
    .executeTakeFirst();
}

/** @throws {FormError} 422 for an invalid email address. */
export function readEmail(typed: string): string {
  const address = typed.trim();
  if (/^[^\s@]+@[^\s@]+$/.test(address) && address.length <= MAX_EMAIL_LENGTH) return address;
  throw new FormError(422, `“${address}” is not a valid email address.`);
}

export async function findUser(id: string) {
  return database().selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function firstUser() {
  return database()
    .selectFrom("users")
    .select(["id", "email"])
    .orderBy("created_at")
    .limit(1)
    .executeTakeFirst();
}

/**
 * Creates an account.
 *
 * @returns its id.
 * @throws {FormError} 422 if the email address is invalid or already has an account, or if the password is weak.
 */
export async function createUser(email: string, password: string): Promise<string> {
  const address = readEmail(email);
  const taken = new FormError(422, `${address} already has an account.`);
  if (await findUserByEmail(address)) throw taken;
  const password_hash = await hashPassword(password, userRequester("new account"));
  const entry = { userId: null, action: "account-create", detail: address } as const;
  return changeAndRecord(entry, () => {
    const user = firstRow(
      database()
        .insertInto("users")
        .values({ email: address, password_hash })
        .onConflict((conflict) => conflict.doNothing())
        .returning("id"),
    );
    if (!user) throw taken;
    return user.id;
  });
}

/**
 * Sets a new password for an account, and ends its access.
 *
 * @param entry the entry for the activity log.
 * @throws {FormError} 422 for a weak password.
 */
export async function setPassword(
  userId: string,
  password: string,
  entry: ActivityEntry,
  ending: Ending & { event: "password-change" | "password-reset" },
): Promise<void> {
  const password_hash = await hashPassword(password, userRequester(userId));
  await changeAndRecord(entry, () => {
    runChange(database().updateTable("users").set({ password_hash }).where("id", "=", userId));
    endAccess(userId, ending);
  });
}

const GENERATED_PASSWORD_BYTES = 15;

/** Returns a random password of 20 characters (120 bits). */
export function generatePassword(): string {
  return randomBytes(GENERATED_PASSWORD_BYTES).toString("base64url");
}

/**
 * Creates the first account if the site has none, using ADMIN_EMAIL and ADMIN_PASSWORD if they are set. A generated
 * password is printed once.
 */
export async function ensureFirstAccount(print: (line: string) => void = console.log) {
  if (await firstUser()) return;
  const { adminEmail, adminPassword, publicUrl } = settings();
  const email = adminEmail ?? `admin@${publicUrl ? new URL(publicUrl).hostname : "localhost"}`;
  const password = adminPassword ?? generatePassword();
  await createUser(email, password);
  print(`The first account is ${email}.`);
  if (!adminPassword) {
    print(`Its password is ${password}`);
    print("Save it now. It won't be shown again. To reset it, run `npm run set-password`.");
  }
}
