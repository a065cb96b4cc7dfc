import type { IncomingMessage, ServerResponse } from "node:http";
import { routeNameOf } from "~/platform/node/request-context.server";
import { replicaAgeSeconds } from "~db/replication.server";
import { sendText } from "../node/middleware.server";
import { settings } from "../settings.server";

/**
 * The read-only mode. A reader is a server that serves pages from a replica of the database. docs/nginx-reader.conf
 * routes only suitable requests to it. It redirects any other requests to the primary.
 */

/** The routes that a reader serves. All other routes belong to the primary, including routes added later. */
export const READ_ROUTES: readonly string[] = [
  ...["/", "/categories/:category?", "/trending", "/tags/:tag", "/series/:slug", "/video/:id"],
  ...["/saved", "/surprise", "/search/suggestions", "/video/:id/stream", "/media/*", "/assets/*"],
  ...["/privacy", "/dmca", "/contact", "/records", "/transparency", "/transparency.json"],
  ...["/preferences", "/offline", "/sitemap.xml", "/sitemap/:part", "/robots.txt"],
  ...["/feed.xml", "/tags/:tag/feed.xml", "/series/:slug/feed.xml"],
  ...["/manifest.webmanifest", "/sw.js", "/favicon.ico", "/apple-touch-icon.png"],
  ...["/icon-192.png", "/icon-512.png", "/share.png", "/healthz", "/metrics"],
];
/** The POST routes that don't change anything. They confirm the visitor's age and load cards by id. */
const POST_ROUTES = ["/age", "/saved/videos"];
/** The routes that are served even if the replica is too old, because they report its age. */
const MONITORING_ROUTES = ["/healthz", "/metrics"];
/** The only cookie that a reader uses. Nobody can sign in on a reader. */
const AGE_COOKIE = /^\s*age=/;

/** Whether the replica is older than READ_ONLY_MAX_AGE. */
export function isReplicaTooOld(): boolean {
  return replicaAgeSeconds() * 1000 > settings().readOnlyMaxAgeMs;
}

/**
 * Middleware that handles requests to a reader. It adds the data's age to each response, rejects requests if the data
 * is too old, and redirects requests that belong to the primary.
 */
export function serveReadOnly(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader("X-Data-Age", String(replicaAgeSeconds()));
  const route = routeNameOf(request.url);
  const isReading = request.method === "GET" || request.method === "HEAD";
  const isServed = isReading && READ_ROUTES.includes(route);
  if (!isServed && !(request.method === "POST" && POST_ROUTES.includes(route))) {
    return proxyToPrimary(request, response, isReading);
  }
  if (isReplicaTooOld() && !MONITORING_ROUTES.includes(route)) {
    return sendText(response, 503, "This copy of the site is out of date. Try again later.", {
      "Retry-After": "60",
    });
  }
  const cookies = request.headers.cookie?.split(";").filter((each) => AGE_COOKIE.test(each));
  if (cookies?.length) request.headers.cookie = cookies.join(";").trim();
  else delete request.headers.cookie;
  return false;
}

function proxyToPrimary(
  request: IncomingMessage,
  response: ServerResponse,
  isReading: boolean,
): boolean {
  const { readOnlyFrom } = settings();
  if (isReading) {
    return sendText(response, 307, `This copy of the site is read-only. Go to ${readOnlyFrom}`, {
      Location: `${readOnlyFrom}${request.url}`,
    });
  }
  // The rest of the request isn't read.
  response.shouldKeepAlive = false;
  return sendText(response, 503, "This copy of the site is read-only. Try again later.", {
    "Retry-After": "60",
  });
}
