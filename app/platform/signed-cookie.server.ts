import { requestContext } from "./node/request-context.server";
import { settings } from "./settings.server";
import { sign, verify } from "./signed-value.server";
import { cookiesIn, type SiteCookie } from "./site-cookies";

/** The maximum length of a cookie. Browsers silently drop longer ones. */
const MAX_COOKIE_BYTES = 4096;

/**
 * Returns the purpose of the signature. It contains the cookie's name, so that one cookie's value can't be used for
 * another.
 */
const purposeOf = (name: SiteCookie) => `cookie ${name}`;

/**
 * Whether visitors use https, according to PUBLIC_URL if it is set, otherwise according to the request or its proxy.
 */
export function siteIsHttps(): boolean {
  const { publicUrl } = settings();
  if (publicUrl) return publicUrl.startsWith("https:");
  const request = requestContext()?.request;
  if (!request) return false;
  const forwarded = String(request.headers["x-forwarded-proto"] ?? "").split(",")[0];
  return forwarded?.trim() === "https" || "encrypted" in request.socket;
}

/**
 * Returns the `Set-Cookie` header of a signed, httpOnly, SameSite=Lax cookie for the whole site.
 *
 * @param expiresAt in milliseconds since the epoch. It is covered by the signature, so that copies of the cookie expire
 *   too.
 */
export function signedCookie(
  name: SiteCookie,
  value: string,
  expiresAt: number,
  now = Date.now(),
): string {
  const maxAgeSeconds = Math.max(1, Math.floor((expiresAt - now) / 1000));
  const cookie = cookieHeader(name, sign(purposeOf(name), value, expiresAt), maxAgeSeconds);
  if (Buffer.byteLength(cookie) > MAX_COOKIE_BYTES) {
    throw new Error(`The cookie ${name} is longer than browsers allow.`);
  }
  return cookie;
}

/** Returns the `Set-Cookie` header that removes a cookie. */
export function removedCookie(name: SiteCookie): string {
  return cookieHeader(name, "", 0);
}

function cookieHeader(name: string, value: string, maxAgeSeconds: number): string {
  return [
    `${name}=${value}`,
    "Path=/",
    `Max-Age=${maxAgeSeconds}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(siteIsHttps() ? ["Secure"] : []),
  ].join("; ");
}

/** Returns the value of a signed cookie in the request; undefined if the cookie is missing, expired or forged. */
export function readSignedCookie(
  request: Request,
  name: SiteCookie,
  now = Date.now(),
): string | undefined {
  return findSignedCookie(request.headers.get("Cookie") ?? "", name, now);
}

/** Returns the value of a signed cookie in a Cookie header; undefined if the cookie is missing, expired or forged. */
export function findSignedCookie(
  cookies: string,
  name: SiteCookie,
  now = Date.now(),
): string | undefined {
  for (const cookie of cookiesIn(cookies)) {
    const value = cookie.name === name ? verify(purposeOf(name), cookie.value, now) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}
