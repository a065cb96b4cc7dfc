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
 * Routes that country rules never block: legal information, technical endpoints, and the sign-in pages and studio, so
 * that owners can't lock themselves out. None of these routes shows a video to a visitor.
 */
export const ALWAYS_OPEN: ReadonlySet<string> = new Set([
  ...["/privacy", "/dmca", "/contact", "/records", "/report", "/report/:token"],
  ...["/transparency", "/transparency.json", "/age"],
  ...["/age-check", "/age-check/start", "/age-check/answer"],
  ...["/auth", "/auth/code", "/auth/passkey", "/sign-out", "/invite/:token"],
  ...ROUTES.filter(isStudioRoute),
  // These routes require a worker's token or a signature. A worker on the same network doesn't connect through the
  // proxy that sets the country.
  "/api/worker/*",
  ...["/healthz", "/metrics", "/robots.txt", "/manifest.webmanifest", "/sw.js", "/offline"],
  ...["/favicon.ico", "/apple-touch-icon.png", "/icon-192.png", "/icon-512.png", "/share.png"],
  "/assets/*",
]);

/** The message for visitors in blocked countries. */
const CLOSED = "This site is not available in your country or region.";
const UNCHECKED = "Age check required. Open /age-check in your browser.";

/**
 * Applies COUNTRY_RULES to every request, including requests for files and stream segments, before any lookup or cached
 * response. This takes a few microseconds if there are rules, and almost no time otherwise.
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
  // Close the connection, because nothing will read the rest of the request body.
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

/** Returns whether the visitor's country requires an age check that the visitor hasn't passed. */
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

/** Returns the path of the page that a `.data` request belongs to. */
function pageOf(pathname: string, search: string): string {
  const path = pathname === "/_root.data" ? "/" : pathname.slice(0, -".data".length);
  const parameters = new URLSearchParams(search);
  parameters.delete("_routes");
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}

/** Uses the browser's default colors, so that this static page doesn't need the site's stylesheet. */
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
<h1>${name} is not available in your country or region</h1>
<p><a href="/privacy">Privacy</a> <a href="/contact">Contact</a> <a href="/dmca">Content removal</a></p>
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
