import type { ServerResponse } from "node:http";
import { settings } from "../settings.server";
import { onRequestStart, RTA_LABEL } from "./request-context.server";

/** The headers for every response, including those for build files. */
const ALWAYS = {
  Rating: RTA_LABEL,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  // Doesn't send a referrer to other sites. "no-referrer" would also make browsers send `Origin: null` with our forms
  // (Fetch, "append a request Origin header"), and the site couldn't distinguish them from forms on other sites.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy":
    "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
} as const;

/** Set only for a site with an https PUBLIC_URL, because browsers remember it for a year. */
const STRICT_TRANSPORT: [string, string] = ["Strict-Transport-Security", "max-age=31536000"];

/**
 * The policy for responses that don't set one. It doesn't restrict sources, because a script's policy also applies to
 * any worker started from that script.
 */
const OTHER_POLICY = "object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/**
 * Sets the headers of every response before the request reaches a route. Adds a policy to responses that don't set one.
 */
export function sendSecurityHeaders(): void {
  const headers: [string, string][] = Object.entries(ALWAYS);
  if (settings().publicUrl?.startsWith("https:")) headers.push(STRICT_TRANSPORT);
  onRequestStart(({ response }) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    const writeHead = response.writeHead as (...parts: unknown[]) => ServerResponse;
    response.writeHead = (...parts: unknown[]) => {
      // In a 304 response, this policy would replace the one that the browser has cached with the page.
      if (parts[0] !== 304 && !response.hasHeader("Content-Security-Policy")) {
        response.setHeader("Content-Security-Policy", OTHER_POLICY);
      }
      return writeHead.apply(response, parts);
    };
  });
}

/**
 * Returns the Content-Security-Policy of a page. It allows only resources from our site, and inline scripts by hash.
 * Style attributes are allowed because React writes them into server-rendered HTML, for example for a poster's
 * placeholder or a width.
 */
export function contentSecurityPolicy(scriptSources: readonly string[]): string {
  // The development server inlines styles so that it can change them without a reload.
  const inlineStyles = settings().environment === "development" ? " 'unsafe-inline'" : "";
  const store = storeOrigins();
  return [
    "default-src 'self'",
    ["script-src 'self'", ...scriptSources].join(" "),
    `style-src 'self'${inlineStyles}`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    ["media-src 'self' blob:", ...store].join(" "),
    // Without connect-src, default-src applies to requests made by scripts.
    ...(store.length > 0 ? [["connect-src 'self'", ...store].join(" ")] : []),
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Returns the origins from which browsers load stream segments if requests are redirected: the store and the CDN. */
function storeOrigins(): string[] {
  const { storage } = settings();
  if (!storage?.redirects) return [];
  const { address, cdn } = storage;
  const store = address.kind === "s3" ? [address.endpoint] : [];
  return [...(cdn ? [cdn.origin] : []), ...store];
}
