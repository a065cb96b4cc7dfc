import { createHash } from "node:crypto";
import zlib from "node:zlib";
import { LRUCache } from "lru-cache";
import type { CatalogueVersion } from "~db/changes.server";

/** The size of the cache at most, by the bytes of its answers. */
const MOST_BYTES = 32 * 1024 * 1024;
/** View counts on a cached page may be this old, like those of an open list. */
const VIEWS_OLD_MOST_MS = 15_000;
/** Pages show ages in days, and the catalogue may rest for months. */
const CACHED_MOST_MS = 10 * 60_000;

/** What only the studio shows is on no cached page. */
type PublicVersion = Omit<CatalogueVersion, "studio">;

/** An answer that is the same for every visitor nobody knows. */
export interface CachedPage {
  version: PublicVersion;
  cachedAt: number;
  /** Weak, because it names the compressed answer and the plain one alike. */
  etag: string;
  headers: [name: string, value: string][];
  plain: Buffer;
  /** Made when the first client asks for it. */
  packed?: Buffer;
}

const pages = new LRUCache<string, CachedPage>({
  maxSize: MOST_BYTES,
  sizeCalculation: ({ plain }) => 500 + 3 * plain.length,
});

/** The cached answer of an address, if the catalogue is still as it was then. */
export function findCachedPage(
  key: string,
  version: PublicVersion,
  now = Date.now(),
): CachedPage | undefined {
  const page = pages.get(key);
  if (!page) return undefined;
  const age = now - page.cachedAt;
  const viewsFit = page.version.views === version.views || age < VIEWS_OLD_MOST_MS;
  if (page.version.catalogue === version.catalogue && viewsFit && age < CACHED_MOST_MS) return page;
  pages.delete(key);
  return undefined;
}

/**
 * Caches an answer.
 *
 * @param version of the catalogue before its data were read.
 */
export function cachePage(
  key: string,
  version: PublicVersion,
  { text, headers }: { text: string; headers: Headers },
  now = Date.now(),
): CachedPage {
  const plain = Buffer.from(text);
  const etag = `W/"${createHash("sha1").update(plain).digest("base64url")}"`;
  const page = { version, cachedAt: now, etag, headers: [...headers], plain };
  pages.set(key, page);
  return page;
}

/** For tests. */
export function clearPageCache(): void {
  pages.clear();
}

/** The page as one gzip file. */
export function packedPage(page: CachedPage): Buffer {
  page.packed ??= zlib.gzipSync(page.plain);
  return page.packed;
}
