import { createHash } from "node:crypto";

/** What an account signs in with, apart from passkeys. */
export interface Credentials {
  password_hash: string;
  totp_enabled_at: string | null;
}

/**
 * Returns a digest that changes with the password, and when the second factor is turned on or off. A cookie with
 * this digest is void after any of these.
 */
export function credentialsMark({ password_hash, totp_enabled_at }: Credentials): string {
  return createHash("sha256")
    .update(`${password_hash} ${totp_enabled_at ?? "off"}`)
    .digest("base64url")
    .slice(0, 22);
}
