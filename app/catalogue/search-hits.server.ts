import type { Database } from "better-sqlite3";
import { LRUCache } from "lru-cache";
import { clampPage, PAGE_SIZE } from "./pages";

/** What the search thread is asked. */
export interface SearchQuestion {
  /** The database's path. */
  file: string;
  /** Folded, not empty. */
  needle: string;
  /** A category's code, or undefined for all. */
  category?: number;
  page: number;
}

export interface SearchAnswer {
  total: number;
  /** What was asked, clamped. */
  page: number;
  /** Of the videos on the page, in its order. */
  places: bigint[];
}

/** From this hit on, all hits are kept rather than skipped one by one at every page. */
const DEEP = 1_000;
const MOST_KEPT_TOTALS = 2_000;
/** 8 bytes each. */
const MOST_KEPT_HITS = 4_000_000;

/**
 * Finds the pages of searches on one connection. Totals, and the hits of searches that someone
 * pages deep into, are kept until the catalogue changes.
 */
export function searchHits(sqlite: Database) {
  sqlite.defaultSafeIntegers(true);
  const version = sqlite.prepare("SELECT catalogue FROM catalogue_changes").pluck();
  const totals = new LRUCache<string, number>({ max: MOST_KEPT_TOTALS });
  const hits = new LRUCache<string, BigInt64Array>({
    maxSize: MOST_KEPT_HITS,
    sizeCalculation: ({ length }) => length + 1,
  });
  let keptVersion: unknown;

  function find({ needle, category, page: asked }: SearchQuestion): SearchAnswer {
    const now = version.get();
    if (now !== keptVersion) {
      totals.clear();
      hits.clear();
      keptVersion = now;
    }
    const key = `${category ?? ""}:${needle}`;
    const query = hitQuery(sqlite, needle, category);
    const total = totals.get(key) ?? query.count();
    totals.set(key, total);
    const page = clampPage(asked, total);
    const offset = (page - 1) * PAGE_SIZE;
    if (offset < DEEP) return { total, page, places: query.first(PAGE_SIZE, offset) };
    const all = hits.get(key) ?? BigInt64Array.from(query.first(-1, 0));
    hits.set(key, all);
    return { total, page, places: [...all.subarray(offset, offset + PAGE_SIZE)] };
  }

  // In a transaction, so that version, total and page belong together.
  return sqlite.transaction(find);
}

/** The places of what contains the needle, the newest first. */
function hitQuery(sqlite: Database, needle: string, category: number | undefined) {
  // Two characters are a token of one index, three and more a phrase of trigrams of the other.
  const index = [...needle].length < 3 ? "published_grams" : "published_text";
  // The category stands in the last three bits of a place.
  const matches = `FROM ${index} WHERE ${index} MATCH @phrase ${
    category === undefined ? "" : "AND rowid & 7 = @category"
  }`;
  const parameters = { phrase: `"${needle.replaceAll('"', '""')}"`, category };
  return {
    count: () => Number(sqlite.prepare(`SELECT count(*) ${matches}`).pluck().get(parameters)),
    first: (limit: number, offset: number) =>
      sqlite
        .prepare(`SELECT rowid ${matches} ORDER BY rowid DESC LIMIT @limit OFFSET @offset`)
        .pluck()
        .all({ ...parameters, limit, offset }) as bigint[],
  };
}
