import { randomBytes } from "node:crypto";
import { settings } from "~/platform/settings.server";
import { createUser, hasAnyUser } from "./users.server";

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
  if (await hasAnyUser()) return;
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
