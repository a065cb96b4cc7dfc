import type { IncomingMessage, ServerResponse } from "node:http";
import { routeNameOf } from "~/platform/node/request-context.server";
import { copyAgeSeconds } from "~db/replication.server";
import { answerPlainly } from "../node/middleware.server";
import { settings } from "../settings.server";

/**
 * What a reader answers: it has a copy of the database and changes nothing. docs/nginx-reader.conf hands it
 * only what it answers; what comes to it otherwise is told where to go.
 */

/** All that visitors read. Everything else belongs to the site that writes, whatever it may be one day. */
export const READ_ROUTES: readonly string[] = [
  ...["/", "/categories/:category?", "/trending", "/tags/:tag", "/series/:slug", "/video/:id"],
  ...["/saved", "/surprise", "/search/suggestions", "/video/:id/stream", "/media/*", "/assets/*"],
  ...["/privacy", "/dmca", "/contact", "/records", "/transparency", "/transparency.json"],
  ...["/preferences", "/offline", "/sitemap.xml", "/sitemap/:part", "/robots.txt"],
  ...["/feed.xml", "/tags/:tag/feed.xml", "/series/:slug/feed.xml"],
  ...["/manifest.webmanifest", "/sw.js", "/favicon.ico", "/apple-touch-icon.png"],
  ...["/icon-192.png", "/icon-512.png", "/share.png", "/healthz", "/metrics"],
];
/** Sent with POST, though they change nothing: the answer of the entry dialog, and cards by their ids. */
const ASKED_WITH_POST = ["/age", "/saved/videos"];
/** Answered however old the copy is: they say that it is. */
const STATE = ["/healthz", "/metrics"];
/** Of a visitor's cookies the one that a reader knows: there is nobody signed in here. */
const AGE = /^\s*age=/;

export function copyIsTooOld(): boolean {
  return copyAgeSeconds() * 1000 > settings().readOnlyMaxAgeMs;
}

/** Says how old the data are on each answer, refuses what they are too old for, and what would change them. */
export function serveReadOnly(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader("X-Data-Age", String(copyAgeSeconds()));
  const route = routeNameOf(request.url);
  const isReading = request.method === "GET" || request.method === "HEAD";
  const isAnswered = isReading && READ_ROUTES.includes(route);
  if (!isAnswered && !(request.method === "POST" && ASKED_WITH_POST.includes(route))) {
    return proxyToPrimary(request, response, isReading);
  }
  if (copyIsTooOld() && !STATE.includes(route)) {
    return answerPlainly(
      response,
      503,
      "This copy of the site is too old to be shown. Please try again later.",
      { "Retry-After": "60" },
    );
  }
  const cookies = request.headers.cookie?.split(";").filter((each) => AGE.test(each));
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
    return answerPlainly(
      response,
      307,
      `This copy of the site is for reading; see ${readOnlyFrom}`,
      {
        Location: `${readOnlyFrom}${request.url}`,
      },
    );
  }
  // What may still arrive belongs to a request that nobody will read.
  response.shouldKeepAlive = false;
  return answerPlainly(
    response,
    503,
    "This copy of the site is for reading, and changes nothing. Please try again later.",
    { "Retry-After": "60" },
  );
}
