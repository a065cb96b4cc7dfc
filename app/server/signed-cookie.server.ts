import { createHmac, timingSafeEqual } from "node:crypto";
import { requestContext } from "./node/request-context.server";
import { newestSecret, sessionSecrets } from "./secret.server";
import { settings } from "./settings.server";

/** What a browser keeps at most; longer cookies are dropped silently. */
const LONGEST_COOKIE_BYTES = 4096;

/** A signature binds the value to the cookie's name, so that one cookie cannot stand in for another. */
function signature(secret: string, name: string, payload: string): Buffer {
  return createHmac("sha256", secret).update(`${name}=${payload}`).digest();
}

/** Whether visitors reach the site by https: by PUBLIC_URL, or as the request or its proxy says. */
export function siteIsHttps(): boolean {
  const { publicUrl } = settings();
  if (publicUrl) return publicUrl.startsWith("https:");
  const request = requestContext()?.request;
  if (!request) return false;
  const forwarded = String(request.headers["x-forwarded-proto"] ?? "").split(",")[0];
  return forwarded?.trim() === "https" || "encrypted" in request.socket;
}

/**
 * The `Set-Cookie` header of a signed, httpOnly, SameSite=Lax cookie for the whole site.
 *
 * @param maxAgeSeconds 0 removes the cookie.
 */
export function signedCookie(name: string, value: string, maxAgeSeconds: number): string {
  const payload = Buffer.from(value).toString("base64url");
  const signed = `${payload}.${signature(newestSecret(), name, payload).toString("base64url")}`;
  const cookie = [
    `${name}=${maxAgeSeconds > 0 ? signed : ""}`,
    "Path=/",
    `Max-Age=${maxAgeSeconds}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(siteIsHttps() ? ["Secure"] : []),
  ].join("; ");
  if (Buffer.byteLength(cookie) > LONGEST_COOKIE_BYTES) {
    throw new Error(`The cookie ${name} is longer than browsers keep.`);
  }
  return cookie;
}

/** The value of a signed cookie of the request; undefined when it is missing or not ours. */
export function readSignedCookie(request: Request, name: string): string | undefined {
  return findSignedCookie(request.headers.get("Cookie") ?? "", name);
}

/** The same, from a Cookie header. */
export function findSignedCookie(cookies: string, name: string): string | undefined {
  for (const pair of cookies.split(";")) {
    const at = pair.indexOf("=");
    if (at < 0 || pair.slice(0, at).trim() !== name) continue;
    const value = verified(name, pair.slice(at + 1).trim());
    if (value !== undefined) return value;
  }
  return undefined;
}

function verified(name: string, signed: string): string | undefined {
  const [payload, mac, ...rest] = signed.split(".");
  if (!payload || !mac || rest.length > 0) return undefined;
  const given = Buffer.from(mac, "base64url");
  const ours = sessionSecrets().some((secret) => {
    const expected = signature(secret, name, payload);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return ours ? Buffer.from(payload, "base64url").toString() : undefined;
}
