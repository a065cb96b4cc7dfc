import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { hasValidToken } from "~/features/accounts/tokens/tokens.server";
import { ROUTES, routeOf } from "~/features/permissions/route-of";
import { hasOpenSession } from "~/features/permissions/session.server";
import { ageConfirmation } from "~/platform/age.server";
import { sendText } from "~/platform/node/middleware.server";
import { isStudioRoute, RTA_LABEL } from "~/platform/node/request-context.server";
import { countryRule } from "~/platform/settings/country-rules";
import { settings } from "~/platform/settings.server";
import { xmlText } from "~/shared/markup/xml";

/**
 * What no rule of a country closes: texts that tell people their rights, what machines ask about the site
 * itself, and the sign-in with the studio behind it, or its owner could lock themselves out. None of it
 * shows a video to a visitor.
 */
export const ALWAYS_OPEN: ReadonlySet<string> = new Set([
  ...["/privacy", "/dmca", "/contact", "/records", "/report", "/report/:token"],
  ...["/transparency", "/transparency.json", "/age"],
  ...["/age-check", "/age-check/start", "/age-check/answer"],
  ...["/auth", "/auth/code", "/auth/passkey", "/sign-out", "/invite/:token"],
  ...ROUTES.filter(isStudioRoute),
  // Its calls ask for the token of a worker, or are signed. A worker in the same network has no proxy that names a country.
  "/api/worker/*",
  ...["/healthz", "/metrics", "/robots.txt", "/manifest.webmanifest", "/sw.js", "/offline"],
  ...["/favicon.ico", "/apple-touch-icon.png", "/icon-192.png", "/icon-512.png", "/share.png"],
  "/assets/*",
]);

/** What a visitor reads where the site is closed; also in docs/operating.md. */
const CLOSED = "This site is not available where you are.";
const UNCHECKED = "Your age has to be checked first. Open /age-check in your browser.";

/**
 * Applies COUNTRY_RULES to every request, files and segments of streams included, before anything is
 * looked up or answered from a cache. Costs microseconds, and nothing without rules.
 */
export function obeyCountryRules(request: IncomingMessage, response: ServerResponse): boolean {
  const { countryHeader, countryRules } = settings();
  if (!countryHeader || !countryRules) return false;
  const rule = countryRule(countryRules, headerOf(request, countryHeader));
  if (rule === "open") return false;
  const route = routeOf(request.url ?? "/");
  if (ALWAYS_OPEN.has(route)) return false;
  const cookies = request.headers.cookie ?? "";
  if (rule === "check" && ageConfirmation(cookies) === "checked") return false;
  if (hasOpenSession(cookies)) return false;
  if (route === "/api/v1/*" && hasValidToken(request.headers.authorization)) return false;

  const { pathname, search } = new URL(`http://${request.headers.host}${request.url}`);

  const isRead = request.method === "GET" || request.method === "HEAD";
  // What may still arrive belongs to a request that nobody will read.
  if (!isRead) response.shouldKeepAlive = false;
  if (isRead && pathname.endsWith(".data")) {
    request.url = `/age.data?to=${encodeURIComponent(pageOf(pathname, search))}`;
    return false;
  }
  const wantsPage = isRead && /\btext\/html\b/.test(request.headers.accept ?? "");
  if (rule === "closed") {
    return wantsPage ? answerClosedPage(request, response) : sendText(response, 451, CLOSED);
  }
  if (!wantsPage) return sendText(response, 403, UNCHECKED);
  const to = pathname === "/" && !search ? "" : `?to=${encodeURIComponent(pathname + search)}`;
  return sendText(response, 302, UNCHECKED, { Location: `/age-check${to}` });
}

/** Whether a visitor is in a country whose rule asks for a check, and has none. */
export function needsAgeCheck(request: Request): boolean {
  const { countryHeader, countryRules } = settings();
  if (!countryHeader || !countryRules) return false;
  const isChecked = ageConfirmation(request.headers.get("Cookie") ?? "") === "checked";
  return countryRule(countryRules, request.headers.get(countryHeader)) === "check" && !isChecked;
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join() : value;
}

/** The page that the framework asks the data of. */
function pageOf(pathname: string, search: string): string {
  const path = pathname === "/_root.data" ? "/" : pathname.slice(0, -".data".length);
  const asked = new URLSearchParams(search);
  asked.delete("_routes");
  return asked.size > 0 ? `${path}?${asked}` : path;
}

/** Colours are the browser's own: no sheet of the site need be found for a page that it never changes. */
const STYLE =
  "html{color-scheme:dark;font:1.125rem/1.6 system-ui,sans-serif}main{max-width:32rem;margin:20vh auto 0;padding:0 1.25rem}h1{font-size:1.5rem;line-height:1.3}a{color:inherit;display:inline-block;padding:.6rem .75rem .6rem 0}";
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

function answerClosedPage(request: IncomingMessage, response: ServerResponse): true {
  const name = xmlText(settings().siteName);
  const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="rating" content="${RTA_LABEL}">
<meta name="robots" content="noindex">
<title>Not available | ${name}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${name} is not available where you are</h1>
<p>The site is closed in your country or region.</p>
<p><a href="/privacy">Privacy</a> <a href="/contact">Contact</a> <a href="/dmca">Removal of content</a></p>
</main>
</body>
</html>
`;
  response.writeHead(451, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(page),
    "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
    "Cache-Control": "no-store",
  });
  response.end(request.method === "HEAD" ? undefined : page);
  return true;
}
