import type { Database } from "better-sqlite3";
import { clampPage, PAGE_SIZE } from "~/shared/pages";
import { indexOf, phrase } from "~db/search-index.server";
import { catalogueCache } from "./catalogue-cache.server";

/** A request to the search thread. */
export interface SearchQuery {
  /** Folded, not empty. */
  needle: string;
  /**
   * Alternative search strings, which also match. If there are any, all of them and the needle have at least three
   * characters.
   */
  also?: readonly string[];
  /** All values that are stored for the category; undefined for all categories. */
  categories?: readonly string[];
  page: number;
}

export interface SearchResult {
  total: number;
  /** The requested page number, clamped to the existing pages. */
  page: number;
  /** The sort keys of the videos on the page, in order. */
  sortKeys: bigint[];
}

/** Searches with up to this many hits are cached in full. */
const MAX_WHOLE = 2_048;
/**
 * The number of evenly spaced sort keys that are cached for searches with more hits, so that every page is close to one
 * of them.
 */
const MARKS = 64;
const MAX_CACHED_SEARCHES = 500;

/** The cached part of a search, which is kept until the catalogue changes. */
interface CachedSearch {
  total: number;
  /** The sort key of every `hitsAMark`-th hit, from the first hit up to the furthest page that anyone has requested. */
  marks: bigint[];
  hitsAMark: number;
}

/** Returns a function that finds pages of search results on one database connection. */
export function searchHits(sqlite: Database) {
  const searched = catalogueCache<CachedSearch>(sqlite, MAX_CACHED_SEARCHES);

  function find({ needle, also, categories, page: requestedPage }: SearchQuery): SearchResult {
    const query = hitQuery(sqlite, { needle, also }, categories);
    const key = [categories ?? "", needle, ...(also ?? [])].join(":");
    const cached = searched(key, () => beginSearch(query));
    const page = clampPage(requestedPage, cached.total);
    return {
      total: cached.total,
      page,
      sortKeys: sortKeysFrom((page - 1) * PAGE_SIZE, cached, query),
    };
  }

  // Runs in a transaction, so that the version, total and page are consistent.
  return sqlite.transaction(find);
}

/** A request to the search thread for the newest hits, without a total. */
export interface NewestHitsQuery {
  /** Folded, not empty. */
  needle: string;
  also?: readonly string[];
  /** All values that are stored for the category; undefined for all categories. */
  categories?: readonly string[];
  limit: number;
}

export function newestHits(sqlite: Database) {
  return ({ categories, limit, ...texts }: NewestHitsQuery): bigint[] =>
    hitQuery(sqlite, texts, categories).first(NEWEST, limit, 0);
}

function beginSearch(query: HitQuery): CachedSearch {
  const newest = query.first(NEWEST, MAX_WHOLE + 1, 0);
  if (newest.length <= MAX_WHOLE) return { total: newest.length, marks: newest, hitsAMark: 1 };
  const total = query.count();
  return { total, marks: [NEWEST], hitsAMark: Math.ceil(total / MARKS) };
}

/** Returns the sort keys on one page, after adding the marks up to that page. */
function sortKeysFrom(
  offset: number,
  { marks, hitsAMark }: CachedSearch,
  { first }: HitQuery,
): bigint[] {
  if (hitsAMark === 1) return marks.slice(offset, offset + PAGE_SIZE);
  const mark = Math.floor(offset / hitsAMark);
  while (marks.length <= mark) {
    const [next] = first(marks.at(-1) ?? NEWEST, 1, hitsAMark);
    // Never happens, because page numbers are clamped to the total.
    if (next === undefined) return [];
    marks.push(next);
  }
  return first(marks[mark] ?? NEWEST, PAGE_SIZE, offset - mark * hitsAMark);
}

/** Larger than every sort key. */
const NEWEST = 2n ** 63n - 1n;

type HitQuery = ReturnType<typeof hitQuery>;

/**
 * Returns queries for the videos that contain one of the search strings. Status and category are checked in the table,
 * because the search indexes don't contain them.
 */
function hitQuery(
  sqlite: Database,
  { needle, also = [] }: Pick<NewestHitsQuery, "needle" | "also">,
  categories: readonly string[] | undefined,
) {
  const index = indexOf(needle);
  const matches = `SELECT rowid FROM ${index} WHERE ${index} MATCH ?`;
  const parameters = [phrase([needle, ...also]), ...(categories ?? [])];
  const isListed = (partial: string, condition: string) => `EXISTS (
    SELECT 1 FROM videos INDEXED BY ${partial} WHERE listed ${condition}
      AND sort_key = ${index}.rowid)`;
  const listed =
    categories?.map(() => isListed("videos_listed_by_category", "AND category = ?")).join(" OR ") ??
    isListed("videos_listed", "");
  return {
    /**
     * Counts hits efficiently even if there are many: the hits and the listed videos are merged in sort key order, so
     * that SQLite doesn't have to look up each hit.
     */
    count: () =>
      sqlite
        .prepare<unknown[], number>(
          `SELECT count(*) FROM (${matches} ${listedAmong(categories)} ORDER BY 1)`,
        )
        .pluck()
        .get(parameters)!,
    /** Returns the newest hits, starting at the sort key `from` and skipping the first `offset` hits. */
    first: (from: bigint, limit: number, offset: number) =>
      sqlite
        .prepare<unknown[], bigint>(
          `${matches} AND (${listed}) AND rowid <= ? ORDER BY rowid DESC LIMIT ? OFFSET ?`,
        )
        .pluck()
        // BigInts are enabled only for this statement, because other code that uses the connection expects ordinary
        // numbers.
        .safeIntegers()
        .all(...parameters, from, limit, offset),
  };
}

/**
 * Returns SQL that keeps only the sort keys of listed videos. Without a category, it excludes those of unlisted videos,
 * because there are fewer of them.
 */
function listedAmong(categories: readonly string[] | undefined): string {
  if (!categories) {
    return `EXCEPT SELECT sort_key FROM (SELECT sort_key FROM videos
      INDEXED BY videos_unlisted_by_views WHERE NOT listed ORDER BY 1)`;
  }
  const ofOne = `SELECT sort_key FROM videos INDEXED BY videos_listed_by_category
    WHERE listed AND category = ?`;
  return `INTERSECT SELECT sort_key FROM (
    ${categories.map(() => ofOne).join(" UNION ALL ")} ORDER BY 1)`;
}
