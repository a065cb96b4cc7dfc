import { settings } from "./settings.server";
import { findSignedCookie, signedCookie } from "./signed-cookie.server";
import { cookiesIn } from "./site-cookies";

const COOKIE = "age";
const CONFIRMED = "18";
const REMEMBERED_SECONDS = 365 * 24 * 3600;

/** The user agents of search engine crawlers. */
const SEARCH_ENGINE =
  /Googlebot|Google-InspectionTool|bingbot|DuckDuckBot|YandexBot|Baiduspider|Applebot|Slurp|SeznamBot/;

/**
 * Whether this visitor has to confirm their age before they see the site. Crawlers don't have to, because search
 * engines recommend letting them in: https://developers.google.com/search/docs/specialty/explicit/guidelines.
 */
export function needsAgeConfirmation(request: Request): boolean {
  if (!settings().ageGate || hasConfirmedAge(request)) return false;
  return !SEARCH_ENGINE.test(request.headers.get("User-Agent") ?? "");
}

/**
 * The state of the age cookie. `confirmed`: the visitor has stated that they are 18 or over. `checked`: a provider has
 * verified their age; this value is signed, so that visitors can't set it themselves.
 */
export type AgeConfirmation = "none" | "confirmed" | "checked";

const HOUR_MS = 3_600_000;
const CHECKED = `${CONFIRMED} checked`;

/** Returns the state of the age confirmation in a Cookie header. */
export function ageConfirmation(cookies: string, now = Date.now()): AgeConfirmation {
  if (!cookies.includes(COOKIE)) return "none";
  if (findSignedCookie(cookies, COOKIE, now) === CHECKED) return "checked";
  const isConfirmed = cookiesIn(cookies).some(
    ({ name, value }) => name === COOKIE && value === CONFIRMED,
  );
  return isConfirmed ? "confirmed" : "none";
}

function hasConfirmedAge(request: Request): boolean {
  return ageConfirmation(request.headers.get("Cookie") ?? "") !== "none";
}

/** Returns the cookie that stores the confirmation. The cookie is the same for every visitor. */
export function ageCookie(request: Request): string {
  const url = new URL(settings().publicUrl ?? request.url);
  const secure = url.protocol === "https:" ? "; Secure" : "";
  return `${COOKIE}=${CONFIRMED}; Path=/; Max-Age=${REMEMBERED_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * Returns the age cookie for a visitor whose age was verified. It expires on the hour, so that everyone who was checked
 * within the same hour has the same cookie and can't be identified by it.
 */
export function checkedAgeCookie(now = Date.now()): string {
  const hour = Math.ceil((now + settings().ageCheckKeepMs) / HOUR_MS);
  return signedCookie(COOKIE, CHECKED, hour * HOUR_MS, now);
}
