import type { IncomingMessage, ServerResponse } from "node:http";
import { parseUrl } from "~/shared/addresses";
import { answerPlainly } from "./middleware.server";

/** A name or address with an optional port (RFC 9110 §7.2). */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** What the site answers at all; TRACE would echo cookies, and fetch's Request cannot carry it. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** 405 for a method that no address has (RFC 9110 §15.5.6). */
export function refuseUnknownMethod(request: IncomingMessage, response: ServerResponse): boolean {
  if (METHODS.includes(request.method ?? "")) return false;
  // What may still arrive belongs to a request that nobody will read.
  response.shouldKeepAlive = false;
  const headers = { Allow: METHODS.join(", ") };
  return answerPlainly(response, 405, "No address here takes this method.", headers);
}

/**
 * Percent-encoded characters that mean the same when they are not (RFC 3986 §6.2.2.2). The dot stays: the tag
 * `x.data` has to be asked for as `x%2Edata`, since the framework asks for data with that ending.
 */
const NEEDLESSLY_ENCODED = /%(?:4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae]|3\d|2d)/gi;
/** What leads to another path than it begins with: `.` and `..` as segments, and `\\` in place of `/`. */
const LEADS_ELSEWHERE = /\\|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Refuses what makes no address, and gives the others their normal form, before any rule looks at them. Remix
 * builds a URL from the Host header and the target and fails with 500 where that cannot be done, and it logs a
 * warning for each path it cannot decode. It also resolves `/x/../auth`, so a rule for `/auth` that reads the
 * target itself would not see it: browsers and proxies resolve such a path before they send it.
 */
export function refuseMalformedTarget(request: IncomingMessage, response: ServerResponse): boolean {
  // Addresses are made of PUBLIC_URL or of Host. The framework would believe this one of anybody.
  delete request.headers["x-forwarded-host"];
  // HTTP/1.0 has no Host; for HTTP/1.1 Node has insisted on one.
  request.headers.host ||= "localhost";
  // A proxy may ask for the whole address (RFC 9112 §3.2.2).
  request.url = (request.url ?? "/").replace(/^https?:\/\/[^/?#]*(?=[/?#]|$)/i, "") || "/";
  if (request.url.startsWith("?")) request.url = `/${request.url}`;
  const target = normalForm(request.url);
  if (HOST.test(request.headers.host) && isAddress(request.headers.host, target)) {
    request.url = target;
    return false;
  }
  // What may still arrive belongs to a request that nobody will read.
  response.shouldKeepAlive = false;
  return answerPlainly(response, 400, "This request makes no sense to us.");
}

/** Returns a target without needless percent-encoding; undefined where it can't be decoded, or leads elsewhere. */
function normalForm(target: string): string | undefined {
  const path = target.replace(/[?#].*$/s, "");
  try {
    decodeURIComponent(path);
  } catch {
    return undefined;
  }
  const decoded = path.replace(NEEDLESSLY_ENCODED, (code) => decodeURIComponent(code));
  return LEADS_ELSEWHERE.test(decoded) ? undefined : decoded + target.slice(path.length);
}

function isAddress(host: string, target: string | undefined): target is string {
  if (!target?.startsWith("/") || !parseUrl(`http://${host}${target}`)) return false;
  const query = target.split("?", 2)[1] ?? "";
  // How Remix asked for data in earlier days; it would log each such request as an error.
  return !new URLSearchParams(query).has("_data");
}
