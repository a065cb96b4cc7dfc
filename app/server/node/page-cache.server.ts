import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { CatalogueVersion } from "~db/changes.server";
import { type GzipPiece, gzipPiece, gzipPieces } from "./gzip-pieces.server";

/** The size of the cache at most, by the bytes of its texts. */
const MOST_BYTES = 32 * 1024 * 1024;
/** View counts on a cached page may be this old, like those of an open list. */
const VIEWS_OLD_MOST_MS = 15_000;
/** Pages show ages in days, and the catalogue may rest for months. */
const CACHED_MOST_MS = 10 * 60_000;

/** An answer that is the same for every visitor nobody knows, but for its nonce. */
export interface CachedPage {
  version: CatalogueVersion;
  cachedAt: number;
  /** Weak, because the nonce differs from answer to answer. */
  etag: string;
  headers: [name: string, value: string][];
  /** The text, cut where the nonce stands. Data has one piece. */
  pieces: string[];
  /** Made when the first client asks for it. */
  packed?: GzipPiece[];
}

const pages = new LRUCache<string, CachedPage>({
  maxSize: MOST_BYTES,
  sizeCalculation: ({ pieces }) => 500 + 3 * pieces.reduce((sum, piece) => sum + piece.length, 0),
});

/** The cached answer of an address, if the catalogue is still as it was then. */
export function findCachedPage(
  key: string,
  version: CatalogueVersion,
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
 * @param nonce where it stands in the text, later answers have their own.
 */
export function cachePage(
  key: string,
  version: CatalogueVersion,
  { text, nonce, headers }: { text: string; nonce?: string; headers: Headers },
  now = Date.now(),
): CachedPage {
  const pieces = nonce ? text.split(nonce) : [text];
  const etag = `W/"${createHash("sha1").update(pieces.join("")).digest("base64url")}"`;
  const page = { version, cachedAt: now, etag, headers: [...headers], pieces };
  pages.set(key, page);
  return page;
}

/** For tests. */
export function clearPageCache(): void {
  pages.clear();
}

/** The text of a cached page with a nonce of its own. */
export function pageText(page: CachedPage, nonce: string): Buffer {
  return Buffer.from(page.pieces.join(nonce));
}

/** The same, compressed: only the nonces are new, and they are too short to be worth it. */
export function packedPage(page: CachedPage, nonce: string): Buffer {
  page.packed ??= page.pieces.map(gzipPiece);
  return gzipPieces(page.packed, Buffer.from(nonce));
}
