import { createHash } from "node:crypto";
import zlib from "node:zlib";
import { LRUCache } from "lru-cache";
import type { CatalogueVersion } from "~db/changes.server";
import { processState } from "~db/runtime.server";

/** The size of the cache at most, by the bytes of its answers. */
const MOST_BYTES = 32 * 1024 * 1024;
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
export function lastViewOf(videoId: string): number {
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
      maxSize: MOST_BYTES,
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

/** For tests. */
export function clearPageCache(): void {
  pages().clear();
}

/** The page as one gzip file. */
export function packedPage(page: CachedPage): Buffer {
  page.packed ??= zlib.gzipSync(page.plain);
  return page.packed;
}
