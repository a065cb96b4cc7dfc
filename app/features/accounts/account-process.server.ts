import type * as Library from "@simplewebauthn/server";
import { handleRequests } from "~db/threads/thread.server";

/**
 * Entry point of the worker threads that hash passwords and verify passkeys. Each thread loads only the library it
 * needs.
 */

const BCRYPT_COST = 12;

export type PasskeyCheck = "verifyRegistrationResponse" | "verifyAuthenticationResponse";

/** A password to hash or to compare with a hash. */
export interface PasswordQuestion {
  password: string;
  hash?: string;
}

interface PasskeyQuestion {
  check: PasskeyCheck;
  options: never;
}

handleRequests(async (question: PasswordQuestion | PasskeyQuestion) => {
  if ("check" in question) {
    const library: typeof Library = await import("@simplewebauthn/server");
    return library[question.check](question.options).catch(() => undefined);
  }
  const { default: bcrypt } = await import("bcryptjs");
  const { password, hash } = question;
  return hash ? bcrypt.compareSync(password, hash) : bcrypt.hashSync(password, BCRYPT_COST);
});
