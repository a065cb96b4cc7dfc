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
 * Refuses what makes no address. Remix builds a URL from the Host header and the target and fails
 * with 500 where that cannot be done, and it logs a warning for each path it cannot decode.
 */
export function refuseMalformedTarget(request: IncomingMessage, response: ServerResponse): boolean {
  // Addresses are made of PUBLIC_URL or of Host. The framework would believe this one of anybody.
  delete request.headers["x-forwarded-host"];
  // HTTP/1.0 has no Host; for HTTP/1.1 Node has insisted on one.
  request.headers.host ||= "localhost";
  // A proxy may ask for the whole address (RFC 9112 §3.2.2).
  request.url = (request.url ?? "/").replace(/^https?:\/\/[^/?#]*(?=[/?#]|$)/i, "") || "/";
  const target = request.url.startsWith("?") ? `/${request.url}` : request.url;
  request.url = target;
  if (HOST.test(request.headers.host) && isAddress(request.headers.host, target)) return false;
  // What may still arrive belongs to a request that nobody will read.
  response.shouldKeepAlive = false;
  return answerPlainly(response, 400, "This request makes no sense to us.");
}

function isAddress(host: string, target: string): boolean {
  if (!target.startsWith("/") || !parseUrl(`http://${host}${target}`)) return false;
  const [path = "", query = ""] = target.split("?", 2);
  try {
    decodeURIComponent(path);
  } catch {
    return false;
  }
  // How Remix asked for data in earlier days; it would log each such request as an error.
  return !new URLSearchParams(query).has("_data");
}
