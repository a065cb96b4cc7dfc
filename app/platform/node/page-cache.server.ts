import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { LRUCache } from "lru-cache";
import { matchesWeakly } from "~/shared/conditional";
import { type CatalogueVersion, catalogueVersion } from "~db/changes.server";
import { processState } from "~db/runtime.server";
import { ageConfirmation } from "../age.server";
import { counts } from "../counts.server";
import { errorReference } from "../errors.server";
import { announcedViews } from "../live/hub.server";
import { settings } from "../settings.server";
import { hasPersonalCookie } from "../site-cookies";
import { requestContext, routeNameOf } from "./request-context.server";

const VIDEO_ROUTE = "/video/:id";
/** The routes of public pages and of Remix's requests for their data. */
export const CACHED_ROUTES: readonly string[] = [
  ...["/", "/categories/:category?", "/trending", "/tags/:tag", "/series/:slug", VIDEO_ROUTE],
  ...["/privacy", "/dmca", "/contact", "/preferences", "/api"],
];
/** The maximum length of a cached URL. None of our links is longer. */
const MAX_KEY_LENGTH = 600;
/** Browsers keep a copy for the Back button and for 304 responses, and revalidate it before use. */
const PAGE_CACHE_CONTROL = "private, no-cache";

/**
 * The requests in progress whose pages may be cached, each with its cache key and the version that was current before
 * the page's data was read.
 */
const cacheable = new WeakMap<IncomingMessage, { key: string; version: PageVersion }>();

/**
 * Middleware that serves a public page from the cache. If the page isn't in the cache, marks the request as cacheable.
 */
export function serveCachedPage(request: IncomingMessage, response: ServerResponse): boolean {
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
 * Returns the cache key of a request, or undefined if the page may be personal: if the visitor is signed in, has a
 * pending toast or hasn't confirmed their age. Only the site's own cookies matter. Other cookies, such as those of a
 * proxy or of another site on the same host, don't affect pages.
 */
function pageKey({ method, url = "", headers }: IncomingMessage): string | undefined {
  const { environment, ageGate } = settings();
  if (environment === "development" || (method !== "GET" && method !== "HEAD")) return undefined;
  const { cookie = "" } = headers;
  if (hasPersonalCookie(cookie) || (ageGate && ageConfirmation(cookie) === "none"))
    return undefined;
  // Without PUBLIC_URL, absolute URLs depend on the Host header.
  const key = `${headers.host} ${url}`;
  return key.length <= MAX_KEY_LENGTH ? key : undefined;
}

/** Returns the id in the URL of a video's page or of the data for that page. */
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
  const compressed = acceptsGzip(request);
  const body = compressed ? page.gzipped : zlib.gunzipSync(page.gzipped);
  if (compressed) response.setHeader("Content-Encoding", "gzip");
  response.setHeader("Content-Length", body.length);
  response.writeHead(200).end(request.method === "HEAD" ? undefined : body);
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(String(headers["accept-encoding"] ?? ""));
}

/** Keeps the current request's page out of the cache, because its data is incomplete. */
export function preventCaching(): void {
  const request = requestContext()?.request;
  if (request) cacheable.delete(request);
}

const gzip = promisify(zlib.gzip);

/**
 * Returns the response for the page rendered for the current request. If the page may be cached, it is cached in the
 * compressed form, which is also the form that most clients receive.
 */
export async function renderedResponse(
  status: number,
  headers: Headers,
  text: string,
): Promise<Response> {
  headers.set("Cache-Control", headers.get("Cache-Control") ?? PAGE_CACHE_CONTROL);
  const request = requestContext()?.request;
  const entry = request && cacheable.get(request);
  if (!entry || status !== 200 || headers.has("Set-Cookie") || errorReference()) {
    return new Response(text, { status, headers });
  }
  const own = new Headers(headers);
  for (const name of ["Cache-Control", "Content-Length"]) own.delete(name);
  const page = await cachePage(entry.key, entry.version, { text, headers: own });
  headers.set("ETag", page.etag);
  headers.set("Vary", "Cookie, Accept-Encoding");
  const ifNoneMatch = request.headers["if-none-match"];
  if (ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, page.etag)) {
    return new Response(null, { status: 304, headers });
  }
  if (!acceptsGzip(request)) return new Response(text, { status, headers });
  headers.set("Content-Encoding", "gzip");
  headers.set("Content-Length", String(page.gzipped.length));
  return new Response(new Uint8Array(page.gzipped), { status, headers });
}

/** The maximum size of the cache. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The maximum age of view counts on a cached list. View counts on an open list are refreshed at the same interval. */
const LIST_VIEWS_MAX_AGE_MS = 15_000;
/** The maximum age of the view count on a video's page (product decisions, Views). */
const VIDEO_VIEWS_MAX_AGE_MS = 1_000;
/**
 * The maximum age of a cached page. Pages show how many days old videos are, so they become outdated even if the
 * catalogue doesn't change for months.
 */
const MAX_AGE_MS = 10 * 60_000;

/**
 * The versions of the data that a page was rendered from. The studio's version is omitted, because cached pages contain
 * nothing that is shown only in the studio.
 */
export interface PageVersion extends Omit<CatalogueVersion, "studio"> {
  /**
   * Set only for a video's page. It changes with each view of the video, whether or not the view has been written to
   * the database. See `noteView`.
   */
  lastView?: number;
}

/**
 * The maximum number of videos whose last view is remembered. The cached view counts of other videos are at most a
 * second old.
 */
const MAX_NOTED_VIDEOS = 50_000;
const views = processState("noted views", () => ({
  count: 0,
  last: new LRUCache<string, number>({ max: MAX_NOTED_VIDEOS }),
}));

/** Invalidates the cached pages of a video, so that a reload shows the new view. */
export function noteView(videoId: string): void {
  const noted = views();
  noted.count += 1;
  noted.last.set(videoId, noted.count);
}

/** Returns a number that changes with each view of a video; 0 before its first view. */
function lastViewOf(videoId: string): number {
  return views().last.get(videoId) ?? 0;
}

/** A page that is the same for every visitor who isn't signed in. */
export interface CachedPage {
  version: PageVersion;
  /** A `performance.now()` timestamp, which a change of the system's clock doesn't affect. */
  cachedAt: number;
  /** A weak entity tag, because the compressed and the plain response share it. */
  etag: string;
  headers: [name: string, value: string][];
  /** Only the compressed page is kept, so that thousands of pages fit into the cache. */
  gzipped: Buffer;
}

/** The estimated memory for an entry besides its page and headers. */
const ENTRY_BYTES = 500;

const pages = processState(
  "page cache",
  () =>
    new LRUCache<string, CachedPage>({
      maxSize: MAX_BYTES,
      sizeCalculation: ({ headers, gzipped }, key) =>
        ENTRY_BYTES + 2 * (key.length + headers.flat().join("").length) + gzipped.length,
    }),
);

/** Returns the cached page if it is still current. */
export function findCachedPage(
  key: string,
  version: PageVersion,
  now = performance.now(),
): CachedPage | undefined {
  const page = pages().get(key);
  if (!page) return undefined;
  const age = now - page.cachedAt;
  const viewsMaxAge =
    version.lastView === undefined ? LIST_VIEWS_MAX_AGE_MS : VIDEO_VIEWS_MAX_AGE_MS;
  // Open pages that reload a list after an announcement must not receive the counts from before it.
  const viewsFit =
    page.version.views === version.views ||
    (age < viewsMaxAge && page.version.views >= announcedViews());
  const isCurrent =
    page.version.catalogue === version.catalogue && page.version.lastView === version.lastView;
  if (isCurrent && viewsFit && age < MAX_AGE_MS) return page;
  pages().delete(key);
  return undefined;
}

/**
 * Caches a page.
 *
 * @param version the version that was current before the page's data was read.
 */
export async function cachePage(
  key: string,
  version: PageVersion,
  { text, headers }: { text: string; headers: Headers },
  now = performance.now(),
): Promise<CachedPage> {
  const etag = `W/"${createHash("sha1").update(text).digest("base64url")}"`;
  const gzipped = await gzip(text);
  const page = { version, cachedAt: now, etag, headers: [...headers], gzipped };
  pages().set(key, page);
  return page;
}
