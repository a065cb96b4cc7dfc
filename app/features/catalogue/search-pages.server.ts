import type { Database } from "better-sqlite3";
import type { ListOrder } from "~/shared/list-view";
import { clampPage, PAGE_SIZE } from "~/shared/pages";
import { indexOf, phrase } from "~db/search-index.server";
import { catalogueCache } from "./catalogue-cache.server";
import { ORDERS } from "./list-query.server";
import type { SearchResult } from "./search-hits.server";

/** A request to the query thread for one page of a list with filters, of search results, or of close matches. */
export interface SearchPageQuery {
  /** The folded search text; empty for a list without a search. */
  needle: string;
  /** Whether to find close matches instead of the videos that contain the text. */
  close?: {
    /** The folded labels of the categories, by id. */
    categoryLabels: Readonly<Record<string, string>>;
    /** The folded tag that the search text is an alias for. */
    aliasOf?: string;
  };
  order: ListOrder;
  /** Every value that is stored for the category. An empty list means any category. */
  categories: readonly string[];
  /** The duration range in seconds, inclusive. */
  length?: readonly [from: number, to: number];
  /** The creation time of the oldest videos, in milliseconds since 1970. */
  since?: number;
  /** For each required tag, what to find in `video_search`: the tag and its aliases between separators. */
  tags: readonly (readonly string[])[];
  /** The same for the excluded tags, of which no video may have any. */
  not: readonly string[];
  page: number;
  /** Whether only the total is needed, which doesn't require ranking the matches. */
  countOnly?: boolean;
}

const MAX_CACHED_TOTALS = 500;
/**
 * Ranking more matches takes too long, as does ranking the matches for one or two characters. They are sorted by views
 * instead.
 */
const MAX_RANKED = 20_000;
const MIN_RANKED_LENGTH = 3;
/** The maximum number of words that are looked up for close matches. */
const MAX_WORDS = 8;
const SORT_KEY_EPOCH_MS = Date.UTC(2000, 0, 1);
/** Sort keys contain the milliseconds since their epoch in the bits above the lowest 22. */
const SORT_KEYS_PER_MS = 2n ** 22n;

/**
 * Returns a function that finds pages of such lists on one database connection. It reads every video that matches the
 * text, which takes up to a tenth of a second among 100,000 videos.
 */
export function searchPages(sqlite: Database): (query: SearchPageQuery) => SearchResult {
  const totals = catalogueCache<number>(sqlite, MAX_CACHED_TOTALS);

  function count({ sql, values }: Condition): number {
    return sqlite
      .prepare<unknown[], number>(
        `SELECT count(*) FROM videos INDEXED BY videos_listed WHERE listed AND ${sql}`,
      )
      .pluck()
      .get(...values)!;
  }

  function find(query: SearchPageQuery): SearchResult {
    const filters = filterCondition(query);
    for (const expression of matchExpressions(query)) {
      const condition = and(matchCondition(query, expression), filters);
      const key = [condition.sql, ...condition.values].join("\n");
      const total = totals(key, () => count(condition));
      if (total === 0) continue;
      if (query.countOnly) return { total, page: 1, sortKeys: [] };
      const page = clampPage(query.page, total);
      const { sql, values } = isRanked(query, total)
        ? rankedStatement(query, expression, filters)
        : sortedStatement(query.order, condition);
      const sortKeys = sqlite
        .prepare<unknown[], bigint>(`${sql} LIMIT ${PAGE_SIZE} OFFSET ?`)
        .pluck()
        // Only for this statement, because other code on the connection expects ordinary numbers.
        .safeIntegers()
        .all(...values, (page - 1) * PAGE_SIZE);
      return { total, page, sortKeys };
    }
    return { total: 0, page: 1, sortKeys: [] };
  }

  // Runs in a transaction, so that the total and the page are consistent.
  return sqlite.transaction(find);
}

/** Part of an SQL statement, and the values of its parameters. */
interface Condition {
  sql: string;
  values: readonly unknown[];
}

function and(...conditions: Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => sql).join(" AND ") || "1",
    values: conditions.flatMap(({ values }) => values),
  };
}

/** Limits a list to the rows whose sort keys are (or aren't) among the entries that match an expression. */
function among(index: string, expression: string, not = ""): Condition {
  const hits = `SELECT rowid FROM ${index} WHERE ${index} MATCH ?`;
  return { sql: `videos.sort_key ${not} IN (${hits})`, values: [expression] };
}

function matchCondition({ needle, close }: SearchPageQuery, expression: string): Condition {
  if (!needle) return and();
  if (!close) return among(indexOf(needle), expression);
  return and(among("video_words", expression), withoutResults(needle));
}

/** Excludes the results of a search from its close matches. */
function withoutResults(needle: string): Condition {
  return among(indexOf(needle), phrase([needle]), "NOT");
}

function filterCondition({ categories, length, since, tags, not }: SearchPageQuery): Condition {
  const conditions = tags.map((names) => among("video_search", phrase(names)));
  if (not.length > 0) conditions.push(among("video_search", phrase(not), "NOT"));
  if (categories.length > 0) {
    const sql = "videos.category IN (SELECT value FROM json_each(?))";
    conditions.push({ sql, values: [JSON.stringify(categories)] });
  }
  if (length) conditions.push({ sql: "seconds BETWEEN ? AND ?", values: length });
  if (since !== undefined) {
    const sortKey = BigInt(since - SORT_KEY_EPOCH_MS) * SORT_KEYS_PER_MS;
    conditions.push({ sql: "videos.sort_key >= ?", values: [sortKey] });
  }
  return and(...conditions);
}

function isRanked({ order, needle }: SearchPageQuery, total: number): boolean {
  return order === "relevance" && [...needle].length >= MIN_RANKED_LENGTH && total <= MAX_RANKED;
}

/** Returns a statement that scans the order's index until the page is full. */
function sortedStatement(order: ListOrder, { sql, values }: Condition): Condition {
  const { index, keys, descending } = ORDERS[order === "relevance" ? "views" : order];
  const by = keys.map((key) => `${key} ${descending ? "DESC" : "ASC"}`).join(", ");
  return {
    sql: `SELECT sort_key FROM videos INDEXED BY ${index} WHERE listed AND ${sql} ORDER BY ${by}`,
    values,
  };
}

/**
 * Returns a statement for matches, most relevant first. Results in which a word begins with each searched word have a
 * rank, of which the lowest is the best. Results that contain the text only inside words follow, newest first.
 */
function rankedStatement(
  { needle, close }: SearchPageQuery,
  expression: string,
  filters: Condition,
): Condition {
  const listed = (hits: string) =>
    `SELECT videos.sort_key FROM ${hits} CROSS JOIN videos INDEXED BY videos_listed ON videos.sort_key = hits.rowid AND listed`;
  if (close) {
    const { sql, values } = and(withoutResults(needle), filters);
    return {
      sql: `${listed("video_words AS hits")} WHERE video_words MATCH ? AND ${sql}
        ORDER BY hits.rank, views DESC, videos.sort_key DESC`,
      values: [expression, ...values],
    };
  }
  const index = indexOf(needle);
  const words = wordsOf(needle).map((word) => `"${word}" *`);
  const ranked =
    "SELECT rowid, rank AS value, 0 AS exact FROM video_words WHERE video_words MATCH ?";
  const exact = `SELECT rowid, 0 AS value, 1 AS exact FROM ${index} WHERE ${index} MATCH ?`;
  const hits = `(SELECT rowid, min(value) AS value FROM (
    ${words.length > 0 ? `${ranked} UNION ALL` : ""} ${exact}) GROUP BY rowid HAVING max(exact)) AS hits`;
  return {
    sql: `${listed(hits)} WHERE ${filters.sql} ORDER BY hits.value, videos.sort_key DESC`,
    values: [
      ...(words.length > 0 ? [`{title tags} : (${words.join(" AND ")})`] : []),
      expression,
      ...filters.values,
    ],
  };
}

/**
 * Returns what to match in the full-text index. For close matches, these are alternatives, best first: the videos with
 * all words and those whose tag has the text as an alias, then the videos that lack one of the words.
 */
function matchExpressions({ needle, close }: SearchPageQuery): string[] {
  if (!close) return [phrase([needle])];
  const words = wordsOf(needle).map((word) => inAnyColumn(word, close.categoryLabels));
  const all = words.length > 0 ? [words.join(" AND ")] : [];
  const alias = close.aliasOf === undefined ? [] : [`tags : ${phrase([close.aliasOf])}`];
  const allButOne = words.map((_, index) => words.filter((_, i) => i !== index).join(" AND "));
  return [[...all, ...alias], words.length > 1 ? allButOne : []]
    .filter((alternatives) => alternatives.length > 0)
    .map((alternatives) => alternatives.map((each) => `(${each})`).join(" OR "));
}

/** Matches a word in any column, by its beginning. In the index, categories have only their ids. */
function inAnyColumn(word: string, categoryLabels: Readonly<Record<string, string>>): string {
  const categories = Object.entries(categoryLabels)
    .filter(([, label]) => wordsOf(label).some((each) => each.startsWith(word)))
    .map(([id]) => `category : ${phrase([id])}`);
  return `(${[`"${word}" *`, ...categories].join(" OR ")})`;
}

/** Returns the words of a folded text, as SQLite's `unicode61` tokenizer does. */
function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}\p{Co}]+/gu) ?? []).slice(0, MAX_WORDS);
}
