import { settings } from "./settings.server";
import { findSignedCookie, signedCookie } from "./signed-cookie.server";
import { cookiesIn } from "./site-cookies";

const COOKIE = "age";
const CONFIRMED = "18";
const REMEMBERED_SECONDS = 365 * 24 * 3600;

/** The crawlers of search engines, by their own names for themselves. */
const SEARCH_ENGINE =
  /Googlebot|Google-InspectionTool|bingbot|DuckDuckBot|YandexBot|Baiduspider|Applebot|Slurp|SeznamBot/;

/**
 * Whether this visitor has to say their age first. Search engines need not, as they ask for:
 * https://developers.google.com/search/docs/specialty/explicit/guidelines.
 */
export function lacksAgeAnswer(request: Request): boolean {
  if (!settings().ageGate || hasConfirmedAge(request)) return false;
  return !SEARCH_ENGINE.test(request.headers.get("User-Agent") ?? "");
}

/**
 * What the cookie for the age says: that somebody has said that they are 18 or over (`confirmed`), or
 * that a provider has checked it (`checked`), which is signed, because nobody may write it themselves.
 */
export type AgeAnswer = "none" | "confirmed" | "checked";

const HOUR_MS = 3_600_000;
const CHECKED = `${CONFIRMED} checked`;

/** The answer in a Cookie header. */
export function ageAnswer(cookies: string, now = Date.now()): AgeAnswer {
  if (!cookies.includes(COOKIE)) return "none";
  if (findSignedCookie(cookies, COOKIE, now) === CHECKED) return "checked";
  const isConfirmed = cookiesIn(cookies).some(
    ({ name, value }) => name === COOKIE && value === CONFIRMED,
  );
  return isConfirmed ? "confirmed" : "none";
}

function hasConfirmedAge(request: Request): boolean {
  return ageAnswer(request.headers.get("Cookie") ?? "") !== "none";
}

/** The cookie that remembers the answer. It says nothing about who gave it. */
export function ageCookie(request: Request): string {
  const url = new URL(settings().publicUrl ?? request.url);
  const secure = url.protocol === "https:" ? "; Secure" : "";
  return `${COOKIE}=${CONFIRMED}; Path=/; Max-Age=${REMEMBERED_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * The same cookie after a check. It ends with a full hour, so that it is the same text for everybody who
 * was checked in that hour, and tells nobody from the others.
 */
export function checkedAgeCookie(now = Date.now()): string {
  const hour = Math.ceil((now + settings().ageCheckKeepMs) / HOUR_MS);
  return signedCookie(COOKIE, CHECKED, hour * HOUR_MS, now);
}
