import { randomBytes } from "node:crypto";
import { type ActivityEntry, changeAndRecord } from "~/platform/activity/activity.server";
import { FormError } from "~/platform/form-error.server";
import { settings } from "~/platform/settings.server";
import { database } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import { type Ending, endAccess } from "./end-access.server";
import { hashPassword, userAsker } from "./password.server";

const LONGEST_EMAIL = 254;

/** The account of an e-mail address, in whatever case it is typed. */
export async function findUserByEmail(email: string) {
  return database()
    .selectFrom("users")
    .selectAll()
    .where("email", "=", email.trim())
    .executeTakeFirst();
}

/** @throws {FormError} 422 for a text that is no e-mail address. */
export function readEmail(typed: string): string {
  const address = typed.trim();
  if (/^[^\s@]+@[^\s@]+$/.test(address) && address.length <= LONGEST_EMAIL) return address;
  throw new FormError(422, `"${address}" is not an e-mail address.`);
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
 * Makes an account.
 *
 * @returns its id.
 * @throws {FormError} 422 for an address that is none or taken, and for a weak password.
 */
export async function createUser(email: string, password: string): Promise<string> {
  const address = readEmail(email);
  const taken = new FormError(422, `There is already an account for ${address}.`);
  if (await findUserByEmail(address)) throw taken;
  const password_hash = await hashPassword(password, userAsker("new account"));
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
 * Gives an account a new password, and ends its access.
 *
 * @param entry what the activity log says of it.
 * @throws {FormError} 422 for a weak password.
 */
export async function setPassword(
  userId: string,
  password: string,
  entry: ActivityEntry,
  ending: Ending & { event: "password-change" | "password-reset" },
): Promise<void> {
  const password_hash = await hashPassword(password, userAsker(userId));
  await changeAndRecord(entry, () => {
    runChange(database().updateTable("users").set({ password_hash }).where("id", "=", userId));
    endAccess(userId, ending);
  });
}

const GENERATED_PASSWORD_BYTES = 15;

/** A password of 20 letters and digits, about 119 bits. */
export function generatePassword(): string {
  return randomBytes(GENERATED_PASSWORD_BYTES).toString("base64url");
}

/**
 * Makes the first account when the site has none, of ADMIN_EMAIL and ADMIN_PASSWORD where they are
 * set. A password that it had to invent is printed, this once.
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
    print("It is shown only now. `npm run set-password` gives another.");
  }
}
