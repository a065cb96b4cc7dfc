import { randomBytes } from "node:crypto";
import { findSignedCookie, readSignedCookie, signedCookie } from "~/server/signed-cookie.server";

const COOKIE = "device";
/** What browsers keep a cookie for at most. */
const DEVICE_MAX_AGE_MS = 400 * 24 * 60 * 60 * 1000;

/**
 * The `Set-Cookie` header that marks a browser in which an admin has signed in. It opens nothing;
 * it only lets that browser try on while strangers have used up the account's attempts
 * (OWASP: device cookies).
 */
export function deviceCookie(userId: string, now = Date.now()): string {
  const nonce = randomBytes(12).toString("base64url");
  return signedCookie(COOKIE, `${userId} ${nonce}`, now + DEVICE_MAX_AGE_MS, now);
}

/** What the attempts of this browser count under, when the account was signed in from it before. */
export function knownDevice(request: Request, userId: string): string | undefined {
  const value = readSignedCookie(request, COOKIE);
  return value?.startsWith(`${userId} `) ? `device ${value}` : undefined;
}

/** The mark of a browser in which some admin has signed in; undefined for any other. */
export function deviceMark(cookies: string): string | undefined {
  return findSignedCookie(cookies, COOKIE);
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
