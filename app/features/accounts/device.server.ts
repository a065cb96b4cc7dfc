import { createHash, randomBytes } from "node:crypto";
import { findSignedCookie, readSignedCookie, signedCookie } from "~/platform/signed-cookie.server";
import { database, prepared } from "~db/client.server";

/**
 * Marks of the browsers in which an account has signed in (OWASP: device cookies). A mark gives no access. It only
 * allows a browser to try a password or a code while strangers have used up the attempts for the account.
 *
 * A mark is bound to the password and to the time at which the second factor was turned on. So everybody who has a
 * valid one has passed all that the account asks for today; marks that were collected before are void.
 */

const COOKIE = "device";
/** The longest time for which browsers keep a cookie. */
const DEVICE_MAX_AGE_MS = 400 * 24 * 60 * 60 * 1000;
const MAX_DEVICES = 10;
const DEVICE_ID_BYTES = 12;

/**
 * Marks a browser in which an account has signed in. The account's oldest mark ends if there are more than ten.
 * Part of a transaction.
 *
 * @param known the id of the valid mark that this browser has, see `knownDevice`.
 * @returns the `Set-Cookie` header.
 */
export function markDevice(userId: string, known: string | undefined, now = Date.now()): string {
  const id = known ?? randomBytes(DEVICE_ID_BYTES).toString("base64url");
  prepared(
    `INSERT INTO devices (id, user_id, used_at) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at`,
  ).run(id, userId, new Date(now).toISOString());
  prepared(
    `DELETE FROM devices WHERE user_id = @userId AND id NOT IN (
       SELECT id FROM devices WHERE user_id = @userId
       ORDER BY id = @id DESC, used_at DESC LIMIT ${MAX_DEVICES})`,
  ).run({ userId, id });
  return deviceCookie(userId, id, now);
}

/**
 * Returns the `Set-Cookie` header for a browser that keeps its mark although the account's password or second factor has
 * changed.
 *
 * @param id of the mark that was valid before.
 */
export function deviceCookie(userId: string, id: string, now = Date.now()): string {
  const account = prepared<Credentials>(
    "SELECT password_hash, totp_enabled_at FROM users WHERE id = ?",
  ).get(userId)!;
  const value = `${userId} ${id} ${credentialsMark(account)}`;
  return signedCookie(COOKIE, value, now + DEVICE_MAX_AGE_MS, now);
}

/** Returns the id of the browser's mark, if it has a valid one of this account. */
export function knownDevice(request: Request, userId: string): string | undefined {
  const device = validDevice(readSignedCookie(request, COOKIE));
  return device?.userId === userId ? device.id : undefined;
}

/** Returns the account that a Cookie header has a valid mark of. */
export function accountOfDevice(cookies: string): string | undefined {
  return validDevice(findSignedCookie(cookies, COOKIE))?.userId;
}

function validDevice(value: string | undefined): { userId: string; id: string } | undefined {
  const [userId, id, mark] = value?.split(" ") ?? [];
  if (!userId || !id) return undefined;
  const account = prepared<Credentials>(
    `SELECT password_hash, totp_enabled_at FROM devices JOIN users ON users.id = user_id
     WHERE devices.id = ? AND user_id = ? AND deactivated_at IS NULL`,
  ).get(id, userId);
  return account && credentialsMark(account) === mark ? { userId, id } : undefined;
}

/** Deletes the marks whose cookies have expired. */
export async function deleteOldDevices(now = Date.now()): Promise<void> {
  const oldest = new Date(now - DEVICE_MAX_AGE_MS).toISOString();
  await database().deleteFrom("devices").where("used_at", "<=", oldest).execute();
}

/** What an admin recognises a session by, such as "Firefox on Linux"; empty when nothing is known. */
export function deviceName(userAgent: string | null): string {
  const first = (names: [RegExp, string][]) =>
    names.find(([pattern]) => pattern.test(userAgent ?? ""))?.[1];
  const browser = first([
    [/\bEdgA?\//, "Edge"],
    [/\bOPR\//, "Opera"],
    [/\bSamsungBrowser\//, "Samsung Internet"],
    [/\b(Firefox|FxiOS)\//, "Firefox"],
    [/\b(Chrome|CriOS)\//, "Chrome"],
    [/\bSafari\//, "Safari"],
  ]);
  const system = first([
    [/\bAndroid\b/, "Android"],
    [/\b(iPhone|iPad)\b/, "iOS"],
    [/\bWindows\b/, "Windows"],
    [/\bMac OS X\b/, "macOS"],
    [/\bCrOS\b/, "ChromeOS"],
    [/\bLinux\b/, "Linux"],
  ]);
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? "";
}

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
