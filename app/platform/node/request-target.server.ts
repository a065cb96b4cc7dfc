import type { IncomingMessage, ServerResponse } from "node:http";
import { parseUrl } from "~/shared/addresses";
import { sendText } from "./middleware.server";

/** Matches a name or address with an optional port (RFC 9110 §7.2). */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** The supported methods. TRACE would echo cookies, and fetch's Request doesn't allow it. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Middleware that responds with 405 to a method that no route supports (RFC 9110 §15.5.6). */
export function refuseUnknownMethod(request: IncomingMessage, response: ServerResponse): boolean {
  if (METHODS.includes(request.method ?? "")) return false;
  // The rest of the request isn't read.
  response.shouldKeepAlive = false;
  const headers = { Allow: METHODS.join(", ") };
  return sendText(response, 405, "Method not allowed.", headers);
}

/**
 * Unreserved characters that are needlessly percent-encoded (RFC 3986 §6.2.2.2), except for the dot. The page of the
 * tag `x.data` has to be requested as `x%2Edata`, because Remix uses the `.data` extension for data requests.
 */
const NEEDLESSLY_ENCODED = /%(?:4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae]|3\d|2d)/gi;
/**
 * Matches anything that makes a path resolve to a different one: the segments `.` and `..`, and `\\` instead of `/`.
 */
const UNRESOLVED = /\\|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Middleware that responds with 400 to invalid request targets, and normalizes valid ones before any rule checks them.
 *
 * Remix builds a URL from the Host header and the target. It fails with 500 if the URL is invalid, and logs a warning
 * for each path that it can't decode. It also resolves `/x/../auth`, which would bypass a rule for `/auth` that checks
 * the target. Browsers and proxies resolve such paths before they send them.
 */
export function refuseMalformedTarget(request: IncomingMessage, response: ServerResponse): boolean {
  // Remix would trust this header no matter who sent it. The site's URLs use PUBLIC_URL or Host instead.
  delete request.headers["x-forwarded-host"];
  // HTTP/1.0 doesn't require a Host header. For HTTP/1.1, Node has already checked that there is one.
  request.headers.host ||= "localhost";
  // A proxy may send the absolute form (RFC 9112 §3.2.2).
  request.url = (request.url ?? "/").replace(/^https?:\/\/[^/?#]*(?=[/?#]|$)/i, "") || "/";
  if (request.url.startsWith("?")) request.url = `/${request.url}`;
  const target = normalForm(request.url);
  if (HOST.test(request.headers.host) && isAddress(request.headers.host, target)) {
    request.url = target;
    return false;
  }
  // The rest of the request isn't read.
  response.shouldKeepAlive = false;
  return sendText(response, 400, "Bad request.");
}

/** Returns a target without needless percent-encoding; undefined if it can't be decoded or resolves to another path. */
function normalForm(target: string): string | undefined {
  const path = target.replace(/[?#].*$/s, "");
  try {
    decodeURIComponent(path);
  } catch {
    return undefined;
  }
  const decoded = path.replace(NEEDLESSLY_ENCODED, (code) => decodeURIComponent(code));
  return UNRESOLVED.test(decoded) ? undefined : decoded + target.slice(path.length);
}

function isAddress(host: string, target: string | undefined): target is string {
  if (!target?.startsWith("/") || !parseUrl(`http://${host}${target}`)) return false;
  const query = target.split("?", 2)[1] ?? "";
  // Data requests from earlier versions of Remix, which Remix would log as errors.
  return !new URLSearchParams(query).has("_data");
}
