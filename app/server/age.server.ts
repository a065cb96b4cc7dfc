import { settings } from "./settings.server";

const COOKIE = "age";
const CONFIRMED = "18";
const REMEMBERED_SECONDS = 365 * 24 * 3600;

/** The pages that show pictures. The others, legal texts and forms, have nothing to keep back. */
const GATED = /^\/(?:categories|trending|tags|saved|video)?(?:\/|$)/;

/** The crawlers of search engines, by their own names for themselves. */
const SEARCH_ENGINE =
  /Googlebot|Google-InspectionTool|bingbot|DuckDuckBot|YandexBot|Baiduspider|Applebot|Slurp|SeznamBot/;

/**
 * Whether this visitor is asked for their age before the page shows itself. Search engines are
 * not, as they ask for: https://developers.google.com/search/docs/specialty/explicit/guidelines.
 */
export function requiresAgeConfirmation(request: Request): boolean {
  if (!settings().ageGate || hasConfirmedAge(request)) return false;
  const { pathname } = new URL(request.url);
  return GATED.test(pathname) && !SEARCH_ENGINE.test(request.headers.get("User-Agent") ?? "");
}

function hasConfirmedAge(request: Request): boolean {
  const cookies = request.headers.get("Cookie")?.split(";") ?? [];
  return cookies.some((cookie) => cookie.trim() === `${COOKIE}=${CONFIRMED}`);
}

/** The cookie that remembers the answer. It says nothing about who gave it. */
export function ageCookie(request: Request): string {
  const url = new URL(settings().publicUrl ?? request.url);
  const secure = url.protocol === "https:" ? "; Secure" : "";
  return `${COOKIE}=${CONFIRMED}; Path=/; Max-Age=${REMEMBERED_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}
