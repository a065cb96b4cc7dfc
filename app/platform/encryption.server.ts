import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { derivedKey, sessionSecrets } from "./secret.server";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function keyFor(purpose: string, secret: string): Buffer {
  return derivedKey(secret, `encrypt ${purpose}`);
}

/**
 * Encrypts text for the database (AES-256-GCM), so that it can be read only with SESSION_SECRET.
 *
 * @param secrets the secrets to use instead of SESSION_SECRET, newest first.
 */
export function encrypt(purpose: string, text: string, secrets = sessionSecrets()): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyFor(purpose, secrets[0]!), nonce);
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
}

/** Returns the decrypted text, or undefined if it wasn't encrypted with any of the secrets. */
export function decrypt(
  purpose: string,
  payload: string,
  secrets = sessionSecrets(),
): string | undefined {
  const bytes = Buffer.from(payload, "base64url");
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  if (tag.length < TAG_BYTES) return undefined;
  for (const secret of secrets) {
    try {
      const cipher = createDecipheriv("aes-256-gcm", keyFor(purpose, secret), nonce);
      cipher.setAuthTag(tag);
      const body = cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([body, cipher.final()]).toString("utf8");
    } catch {
      // The text was encrypted with another secret, or modified. Try the next secret.
    }
  }
  return undefined;
}
