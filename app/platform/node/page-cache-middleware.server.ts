import type { IncomingMessage, ServerResponse } from "node:http";
import { matchesWeakly } from "~/shared/conditional";
import { catalogueVersion } from "~db/changes.server";
import { ageAnswer } from "../age.server";
import { counts } from "../counts.server";
import { errorReference } from "../errors.server";
import { settings } from "../settings.server";
import { hasPersonalCookie } from "../site-cookies";
import {
  type CachedPage,
  cachePage,
  findCachedPage,
  lastViewOf,
  type PageVersion,
  packedPage,
} from "./page-cache.server";
import { requestContext } from "./request-context.server";
import { routeNameOf } from "./route-naming.server";

const VIDEO_ROUTE = "/video/:id";
/** The public pages, and Remix's requests for their data. */
export const CACHED_ROUTES: readonly string[] = [
  ...["/", "/categories/:category?", "/trending", "/tags/:tag", "/series/:slug", VIDEO_ROUTE],
  ...["/privacy", "/dmca", "/contact", "/preferences", "/api"],
];
/** Longer ones are nobody's link. */
const LONGEST_KEY = 600;
/** Browsers keep a copy, for the way back and for 304, and ask before they use it. */
const PAGE_CACHE_CONTROL = "private, no-cache";

/** What may be cached of a request under way: its key, and the version before its data are read. */
const cacheable = new WeakMap<IncomingMessage, { key: string; version: PageVersion }>();

/** Answers a public page from the cache; otherwise notes that it may be cached when rendered. */
export function answerCachedPage(request: IncomingMessage, response: ServerResponse): boolean {
  const route = routeNameOf(request.url);
  const key = CACHED_ROUTES.includes(route) ? pageKey(request) : undefined;
  if (key === undefined) return false;
  let version: PageVersion;
  try {
    const video = route === VIDEO_ROUTE ? videoIdOf(request.url ?? "") : undefined;
    version = { ...catalogueVersion(), ...(video && { lastView: lastViewOf(video) }) };
  } catch {
    return false;
  }
  const page = findCachedPage(key, version);
  if (page) {
    counts().pageCacheHits++;
    send(page, request, response);
    return true;
  }
  counts().pageCacheMisses++;
  cacheable.set(request, { key, version });
  return false;
}

/**
 * The name of what a request is answered with; undefined when the answer may be someone's own: of
 * who is signed in, has a toast waiting or has not said their age. All of these are in cookies of the site;
 * those of others, as of a proxy or of another site on the same host, change no page.
 */
function pageKey({ method, url = "", headers }: IncomingMessage): string | undefined {
  const { environment, ageGate } = settings();
  if (environment === "development" || (method !== "GET" && method !== "HEAD")) return undefined;
  const { cookie = "" } = headers;
  if (hasPersonalCookie(cookie) || (ageGate && ageAnswer(cookie) === "none")) return undefined;
  // Without PUBLIC_URL, absolute addresses come from the Host header.
  const key = `${headers.host} ${url}`;
  return key.length <= LONGEST_KEY ? key : undefined;
}

/** The id of the video in the URL of its page, or of the page's data. */
function videoIdOf(url: string): string | undefined {
  const id = /^\/[^/]+\/([^/?]+?)(?:\.data)?(?:[/?]|$)/.exec(url)?.[1];
  return id && decodeURIComponent(id);
}

function send(page: CachedPage, request: IncomingMessage, response: ServerResponse): void {
  response.setHeader("Vary", "Cookie, Accept-Encoding");
  response.setHeader("Cache-Control", PAGE_CACHE_CONTROL);
  response.setHeader("ETag", page.etag);
  const ifNoneMatch = request.headers["if-none-match"];
  if (ifNoneMatch && matchesWeakly(ifNoneMatch, page.etag)) {
    response.writeHead(304).end();
    return;
  }
  for (const [name, value] of page.headers) response.setHeader(name, value);
  const packed = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(
    String(request.headers["accept-encoding"] ?? ""),
  );
  const body = packed ? packedPage(page) : page.plain;
  if (packed) response.setHeader("Content-Encoding", "gzip");
  response.setHeader("Content-Length", body.length);
  response.writeHead(200).end(request.method === "HEAD" ? undefined : body);
}

/**
 * Caches what was rendered for the request being handled, when it may be, and says so in `headers`.
 *
 * @returns true when the client has this very answer already, so that 304 is enough.
 */
export function cacheRendered(status: number, headers: Headers, text: string): boolean {
  headers.set("Cache-Control", headers.get("Cache-Control") ?? PAGE_CACHE_CONTROL);
  const request = requestContext()?.request;
  const entry = request && cacheable.get(request);
  if (!entry || status !== 200 || headers.has("Set-Cookie") || errorReference()) return false;
  const own = new Headers(headers);
  for (const name of ["Cache-Control", "Content-Length"]) own.delete(name);
  const page = cachePage(entry.key, entry.version, { text, headers: own });
  headers.set("ETag", page.etag);
  headers.set("Vary", "Cookie");
  const ifNoneMatch = request.headers["if-none-match"];
  return ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, page.etag);
}
