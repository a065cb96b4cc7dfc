import cookieSignature from "cookie-signature";
import { derivedKey, sessionSecrets } from "./secret.server";

/**
 * Signatures for all values that the site sends out and trusts when they come back: cookies, links to reports, URLs of
 * source files, and puzzles. They use HMAC-SHA-256, with a separate key for each purpose, derived from the secret.
 *
 * Remix's `createCookie` isn't used, because it signs with the secret itself and without the cookie's name, so that one
 * cookie's value could be used for another. Its signatures also never expire.
 */

/** Matches a signed value: the value in base64url, its expiration time, if any, and the signature. */
const SIGNED = /^[\w-]*(?:\.(\d{1,16}))?\.[\w-]{43}$/;

/**
 * Returns a value with its signature, using only characters that are allowed in URLs and cookies. Anyone can read the
 * value.
 *
 * @param purpose such as `report status`. The signature isn't valid for any other purpose.
 * @param expiresAt in milliseconds since the epoch. If omitted, the signature is valid for as long as the site accepts
 * its secret.
 */
export function sign(purpose: string, value: string, expiresAt?: number): string {
  const text = Buffer.from(value).toString("base64url");
  const payload = expiresAt === undefined ? text : `${text}.${Math.floor(expiresAt)}`;
  const signed = cookieSignature.sign(payload, keyOf(purpose, sessionSecrets()[0]!));
  return payload + inUrl(signed.slice(payload.length));
}

/**
 * Returns a value signed for a purpose; undefined if the value was changed, has expired, or wasn't signed with any of
 * the secrets.
 */
export function verify(purpose: string, signed: string, now = Date.now()): string | undefined {
  const found = SIGNED.exec(signed);
  if (!found || (found[1] !== undefined && Number(found[1]) <= now)) return undefined;
  const end = signed.lastIndexOf(".");
  const input = signed.slice(0, end) + inBase64(signed.slice(end));
  const isOurs = sessionSecrets().some(
    (secret) => cookieSignature.unsign(input, keyOf(purpose, secret)) !== false,
  );
  return isOurs ? Buffer.from(signed.split(".", 1)[0]!, "base64url").toString() : undefined;
}

function keyOf(purpose: string, secret: string): Buffer {
  return derivedKey(secret, `sign ${purpose}`);
}

/** Converts the package's base64 signatures to base64url, because a `/` would end a path segment. */
function inUrl(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}

function inBase64(base64url: string): string {
  return base64url.replaceAll("-", "+").replaceAll("_", "/");
}
