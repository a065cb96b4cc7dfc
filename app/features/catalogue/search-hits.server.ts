import type { Database } from "better-sqlite3";
import { clampPage, PAGE_SIZE } from "~/shared/pages";
import { catalogueCache } from "./catalogue-cache.server";

/** What the search thread is asked. */
export interface SearchQuestion {
  /** Folded, not empty. */
  needle: string;
  /** What is found as well. Then all of them, the needle too, have three characters or more. */
  also?: readonly string[];
  /** The names that rows of a category may have; undefined for all. */
  categories?: readonly string[];
  page: number;
}

export interface SearchAnswer {
  total: number;
  /** What was asked, clamped. */
  page: number;
  /** Of the videos on the page, in its order. */
  sortKeys: bigint[];
}

/** A search with no more hits is cached whole. */
const MAX_WHOLE = 2_048;
/** Of a longer one so many sort keys are cached, evenly spread, so that no page is far from one. */
const MARKS = 64;
const MAX_CACHED_SEARCHES = 500;

/** What is cached of a search until the catalogue changes. */
interface CachedSearch {
  total: number;
  /** The sort keys of every `hitsAMark`-th hit, from the first on, as far as anyone has paged. */
  marks: bigint[];
  hitsAMark: number;
}

/** Finds the pages of searches on one connection. */
export function searchHits(sqlite: Database) {
  const searched = catalogueCache<CachedSearch>(sqlite, MAX_CACHED_SEARCHES);

  function find({ needle, also, categories, page: asked }: SearchQuestion): SearchAnswer {
    const query = hitQuery(sqlite, { needle, also }, categories);
    const key = [categories ?? "", needle, ...(also ?? [])].join(":");
    const cached = searched(key, () => beginSearch(query));
    const page = clampPage(asked, cached.total);
    return {
      total: cached.total,
      page,
      sortKeys: sortKeysFrom((page - 1) * PAGE_SIZE, cached, query),
    };
  }

  // In a transaction, so that version, total and page belong together.
  return sqlite.transaction(find);
}

/** What the search thread is asked for the newest hits alone, without a total. */
export interface NewestHitsQuestion {
  /** Folded, not empty. */
  needle: string;
  also?: readonly string[];
  /** What must not occur in them; folded, not empty. */
  without?: string;
  /** The names that rows of a category may have; undefined for all. */
  categories?: readonly string[];
  limit: number;
}

export function newestHits(sqlite: Database) {
  return ({ categories, limit, ...texts }: NewestHitsQuestion): bigint[] =>
    hitQuery(sqlite, texts, categories).first(NEWEST, limit, 0);
}

function beginSearch(query: HitQuery): CachedSearch {
  const newest = query.first(NEWEST, MAX_WHOLE + 1, 0);
  if (newest.length <= MAX_WHOLE) return { total: newest.length, marks: newest, hitsAMark: 1 };
  const total = query.count();
  return { total, marks: [NEWEST], hitsAMark: Math.ceil(total / MARKS) };
}

/** The sort keys of one page, after the marks on the way to it have been set. */
function sortKeysFrom(
  offset: number,
  { marks, hitsAMark }: CachedSearch,
  { first }: HitQuery,
): bigint[] {
  if (hitsAMark === 1) return marks.slice(offset, offset + PAGE_SIZE);
  const wanted = Math.floor(offset / hitsAMark);
  while (marks.length <= wanted) {
    const [next] = first(marks.at(-1) ?? NEWEST, 1, hitsAMark);
    // Pages are clamped to the total, so there is one.
    if (next === undefined) return [];
    marks.push(next);
  }
  return first(marks[wanted] ?? NEWEST, PAGE_SIZE, offset - wanted * hitsAMark);
}

/** No sort key is after it. */
const NEWEST = 2n ** 63n - 1n;

type HitQuery = ReturnType<typeof hitQuery>;

/** What contains one of the texts, and not the one that it must be without. The search indexes know nothing of status and category: the table does. */
function hitQuery(
  sqlite: Database,
  { needle, also = [], without }: Pick<NewestHitsQuestion, "needle" | "also" | "without">,
  categories: readonly string[] | undefined,
) {
  const index = indexOf(needle);
  const other = without === undefined ? undefined : indexOf(without);
  const matches = `SELECT rowid FROM ${index} WHERE ${index} MATCH ?${
    other
      ? ` AND NOT EXISTS (SELECT 1 FROM ${other} AS other
          WHERE ${other} MATCH ? AND other.rowid = ${index}.rowid)`
      : ""
  }`;
  const phrases = [
    phrase([needle, ...also]),
    ...(without === undefined ? [] : [phrase([without])]),
  ];
  const parameters = [...phrases, ...(categories ?? [])];
  const isListed = (partial: string, condition: string) => `EXISTS (
    SELECT 1 FROM videos INDEXED BY ${partial} WHERE listed ${condition}
      AND sort_key = ${index}.rowid)`;
  const listed =
    categories?.map(() => isListed("videos_listed_by_category", "AND category = ?")).join(" OR ") ??
    isListed("videos_listed", "");
  return {
    /** Of many: both sides come in the order of sort keys and are merged, so no hit is looked up. */
    count: () =>
      sqlite
        .prepare<unknown[], number>(
          `SELECT count(*) FROM (${matches} ${listedAmong(categories)} ORDER BY 1)`,
        )
        .pluck()
        .get(parameters)!,
    /** So many hits, the newest first, after `offset` others, from the sort key `from` on. */
    first: (from: bigint, limit: number, offset: number) =>
      sqlite
        .prepare<unknown[], bigint>(
          `${matches} AND (${listed}) AND rowid <= ? ORDER BY rowid DESC LIMIT ? OFFSET ?`,
        )
        .pluck()
        // Only here: the connection is shared with what reads ordinary numbers.
        .safeIntegers()
        .all(...parameters, from, limit, offset),
  };
}

/** Two characters are a token of one index, three and more a phrase of trigrams of the other. */
function indexOf(text: string): string {
  return [...text].length < 3 ? "video_search_short" : "video_search";
}

function phrase(texts: readonly string[]): string {
  return texts.map((text) => `"${text.replaceAll('"', '""')}"`).join(" OR ");
}

/** Leaves of sort keys those of a list. Fewer videos are unlisted than listed. */
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
