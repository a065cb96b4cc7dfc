import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import zlib from "node:zlib";
import { LRUCache } from "lru-cache";
import { matchesWeakly } from "~/shared/conditional";
import { type CatalogueVersion, catalogueVersion } from "~db/changes.server";
import { processState } from "~db/runtime.server";
import { ageAnswer } from "../age.server";
import { counts } from "../counts.server";
import { errorReference } from "../errors.server";
import { settings } from "../settings.server";
import { hasPersonalCookie } from "../site-cookies";
import { requestContext, routeNameOf } from "./request-context.server";

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

/** The size of the cache at most, by the bytes of its answers. */
const MAX_BYTES = 32 * 1024 * 1024;
/** View counts on a cached list may be this old, like those of an open list. */
const LIST_VIEWS_MAX_AGE_MS = 15_000;
/** Those on a video's page (product decisions, Views). */
const VIDEO_VIEWS_MAX_AGE_MS = 1_000;
/** Pages show ages in days, and the catalogue may rest for months. */
const CACHED_MOST_MS = 10 * 60_000;

/** What a page was rendered from. What only the studio shows is on no cached page. */
export interface PageVersion extends Omit<CatalogueVersion, "studio"> {
  /** Of a video's page: another value after each view of the video, written or not; see `noteView`. */
  lastView?: number;
}

/** Videos whose views this process has counted. Of one that has been dropped, counts are a second old at most. */
const MAX_NOTED_VIDEOS = 50_000;
const views = processState("noted views", () => ({
  count: 0,
  last: new LRUCache<string, number>({ max: MAX_NOTED_VIDEOS }),
}));

/** Drops the cached pages of a video, so that a reload shows the view that has just been counted. */
export function noteView(videoId: string): void {
  const noted = views();
  noted.count += 1;
  noted.last.set(videoId, noted.count);
}

/** Returns the version of the page of a video; 0 before its first view. */
function lastViewOf(videoId: string): number {
  return views().last.get(videoId) ?? 0;
}

/** An answer that is the same for every visitor nobody knows. */
export interface CachedPage {
  version: PageVersion;
  cachedAt: number;
  /** Weak, because it names the compressed answer and the plain one alike. */
  etag: string;
  headers: [name: string, value: string][];
  plain: Buffer;
  /** Made when the first client asks for it. */
  packed?: Buffer;
}

const pages = processState(
  "page cache",
  () =>
    new LRUCache<string, CachedPage>({
      maxSize: MAX_BYTES,
      sizeCalculation: ({ plain }) => 500 + 3 * plain.length,
    }),
);

/** The cached answer of an address, if the catalogue is still as it was then. */
export function findCachedPage(
  key: string,
  version: PageVersion,
  now = Date.now(),
): CachedPage | undefined {
  const page = pages().get(key);
  if (!page) return undefined;
  const age = now - page.cachedAt;
  const viewsMaxAge =
    version.lastView === undefined ? LIST_VIEWS_MAX_AGE_MS : VIDEO_VIEWS_MAX_AGE_MS;
  const viewsFit = page.version.views === version.views || age < viewsMaxAge;
  const isCurrent =
    page.version.catalogue === version.catalogue && page.version.lastView === version.lastView;
  if (isCurrent && viewsFit && age < CACHED_MOST_MS) return page;
  pages().delete(key);
  return undefined;
}

/**
 * Caches an answer.
 *
 * @param version of the catalogue before its data were read.
 */
export function cachePage(
  key: string,
  version: PageVersion,
  { text, headers }: { text: string; headers: Headers },
  now = Date.now(),
): CachedPage {
  const plain = Buffer.from(text);
  const etag = `W/"${createHash("sha1").update(plain).digest("base64url")}"`;
  const page = { version, cachedAt: now, etag, headers: [...headers], plain };
  pages().set(key, page);
  return page;
}

/** The page as one gzip file. */
function packedPage(page: CachedPage): Buffer {
  page.packed ??= zlib.gzipSync(page.plain);
  return page.packed;
}
