import type { ServerResponse } from "node:http";
import { settings } from "../settings.server";
import { onRequestStart, RTA_LABEL } from "./request-context.server";

/** What every answer carries, the files of the build included. */
const ALWAYS = {
  Rating: RTA_LABEL,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  // Nothing to other sites. "no-referrer" would also make browsers send `Origin: null` with our own
  // forms (Fetch, "append a request Origin header"), by which they could not be told from others'.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy":
    "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
} as const;

/** Only for a site that is known to be reached over https: a browser remembers it for a year. */
const STRICT_TRANSPORT: [string, string] = ["Strict-Transport-Security", "max-age=31536000"];

/**
 * Of an answer that has no policy of its own. It says nothing of sources: with a script it would hold for the
 * worker that is started from it.
 */
const OTHER_POLICY = "object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Sets the headers of every answer before a route sees the request, and its policy when it has none at last. */
export function sendSecurityHeaders(): void {
  const headers: [string, string][] = Object.entries(ALWAYS);
  if (settings().publicUrl?.startsWith("https:")) headers.push(STRICT_TRANSPORT);
  onRequestStart(({ response }) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    const writeHead = response.writeHead as (...parts: unknown[]) => ServerResponse;
    response.writeHead = (...parts: unknown[]) => {
      // With 304 it would take the place of the policy that a browser has stored with the page.
      if (parts[0] !== 304 && !response.hasHeader("Content-Security-Policy")) {
        response.setHeader("Content-Security-Policy", OTHER_POLICY);
      }
      return writeHead.apply(response, parts);
    };
  });
}

/**
 * The policy of a page. Everything is our own; inline scripts are allowed by their hashes. Style attributes are
 * allowed because React writes them into server-rendered HTML (a poster's placeholder, a width).
 */
export function contentSecurityPolicy(scriptSources: readonly string[]): string {
  // The development server puts its styles into the page, to change them without a reload.
  const inlineStyles = settings().environment === "development" ? " 'unsafe-inline'" : "";
  const store = storeOrigins();
  return [
    "default-src 'self'",
    ["script-src 'self'", ...scriptSources].join(" "),
    `style-src 'self'${inlineStyles}`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    ["media-src 'self' blob:", ...store].join(" "),
    // Without it what scripts may ask is what default-src says.
    ...(store.length > 0 ? [["connect-src 'self'", ...store].join(" ")] : []),
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Where the parts of streams come from when browsers are sent there: the store, and a CDN. */
function storeOrigins(): string[] {
  const { storage } = settings();
  if (!storage?.redirects) return [];
  const { address, cdn } = storage;
  const store = address.kind === "s3" ? [address.endpoint] : [];
  return [...(cdn ? [cdn.origin] : []), ...store];
}
