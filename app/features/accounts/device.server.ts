import { createHash, randomBytes } from "node:crypto";
import { findSignedCookie, readSignedCookie, signedCookie } from "~/platform/signed-cookie.server";
import { database, prepared } from "~db/client.server";

/**
 * Device cookies (OWASP) for browsers that have been used to sign in to an account. A device cookie doesn't give access
 * to anything. It only lets a browser keep trying passwords or codes after strangers have used up the account's
 * attempts. A device cookie is bound to the password and to the time when the second factor was turned on, so earlier
 * cookies become void when either changes. Anyone with a valid device cookie has therefore passed every check that the
 * account currently requires.
 */

const COOKIE = "device";
/** The maximum cookie lifetime that browsers allow. */
const DEVICE_MAX_AGE_MS = 400 * 24 * 60 * 60 * 1000;
const MAX_DEVICES = 10;
const DEVICE_ID_BYTES = 12;

/**
 * Records a browser that has been used to sign in to an account. If the account has more than ten browsers, the oldest
 * one is removed. Needs a transaction.
 *
 * @param known the id of this browser's valid device cookie, see `knownDevice`.
 * @returns the `Set-Cookie` header.
 */
export function recordDevice(userId: string, known: string | undefined, now = Date.now()): string {
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
 * Returns the `Set-Cookie` header that renews a device cookie after the account's password or second factor has
 * changed.
 *
 * @param id the id of the device cookie that was valid before the change.
 */
export function deviceCookie(userId: string, id: string, now = Date.now()): string {
  const account = prepared<Credentials>(
    "SELECT password_hash, totp_enabled_at FROM users WHERE id = ?",
  ).get(userId)!;
  const value = `${userId} ${id} ${credentialsDigest(account)}`;
  return signedCookie(COOKIE, value, now + DEVICE_MAX_AGE_MS, now);
}

/** Returns the id of the browser's device cookie, if it has a valid one for this account. */
export function knownDevice(request: Request, userId: string): string | undefined {
  const device = validDevice(readSignedCookie(request, COOKIE));
  return device?.userId === userId ? device.id : undefined;
}

/** Returns the account id of the valid device cookie in a Cookie header. */
export function findDeviceAccount(cookies: string): string | undefined {
  return validDevice(findSignedCookie(cookies, COOKIE))?.userId;
}

function validDevice(value: string | undefined): { userId: string; id: string } | undefined {
  const [userId, id, mark] = value?.split(" ") ?? [];
  if (!userId || !id) return undefined;
  const account = prepared<Credentials>(
    `SELECT password_hash, totp_enabled_at FROM devices JOIN users ON users.id = user_id
     WHERE devices.id = ? AND user_id = ? AND deactivated_at IS NULL`,
  ).get(id, userId);
  return account && credentialsDigest(account) === mark ? { userId, id } : undefined;
}

/** Deletes the devices whose cookies have expired. */
export async function deleteOldDevices(now = Date.now()): Promise<void> {
  const oldest = new Date(now - DEVICE_MAX_AGE_MS).toISOString();
  await database().deleteFrom("devices").where("used_at", "<=", oldest).execute();
}

/**
 * Returns a name that helps users recognize a session, such as "Firefox on Linux", or an empty string if neither the
 * browser nor the operating system is recognized.
 */
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

/** An account's credentials, apart from passkeys. */
export interface Credentials {
  password_hash: string;
  totp_enabled_at: string | null;
}

/**
 * Returns a digest that changes whenever the password is changed or the second factor is turned on or off. Any such
 * change therefore voids all cookies that contain the digest.
 */
export function credentialsDigest({ password_hash, totp_enabled_at }: Credentials): string {
  return createHash("sha256")
    .update(`${password_hash} ${totp_enabled_at ?? "off"}`)
    .digest("base64url")
    .slice(0, 22);
}
