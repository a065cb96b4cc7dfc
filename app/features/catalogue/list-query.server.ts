import type { Database, Statement } from "better-sqlite3";
import type { ListOrder as AnyOrder } from "~/shared/list-view";
import { clampPage, PAGE_SIZE } from "~/shared/pages";
import { catalogueCache } from "./catalogue-cache.server";

/** The orders of lists without a search. */
export type ListOrder = Exclude<AnyOrder, "relevance">;

/** A query on `videos` for a section of a public list. */
export interface ListQuery {
  order: ListOrder;
  /** All values that are stored for the category. An empty list means any category. */
  categories: readonly string[];
  /** The duration range in seconds, inclusive. */
  length?: readonly [from: number, to: number];
  /** Whether to include only videos with views. */
  viewed?: boolean;
  offset: number;
  limit: number;
  /** Whether the offset and limit are counted from the end of the list because the end is nearer than the start. */
  fromEnd: boolean;
}

/** Returns the offset and limit of the page that starts at `offset`, counted from the nearer end of the list. */
export function fromNearerEnd(
  offset: number,
  total: number,
): Pick<ListQuery, "offset" | "limit" | "fromEnd"> {
  const rest = Math.max(0, total - offset - PAGE_SIZE);
  return rest < offset
    ? { offset: rest, limit: Math.min(PAGE_SIZE, total - offset), fromEnd: true }
    : { offset, limit: PAGE_SIZE, fromEnd: false };
}

interface Order {
  index: string;
  /** The corresponding index for a single category, if there is one. */
  byCategory?: string;
  keys: string[];
  /** Whether the row with the largest key comes first. */
  descending: boolean;
}

/** The orders, each with the index that has it. */
export const ORDERS: Record<ListOrder, Order> = {
  newest: {
    index: "videos_listed",
    byCategory: "videos_listed_by_category",
    keys: ["sort_key"],
    descending: true,
  },
  views: {
    index: "videos_listed_by_views",
    byCategory: "videos_listed_by_category_views",
    keys: ["views", "sort_key"],
    descending: true,
  },
  longest: {
    index: "videos_listed_by_length",
    keys: ["seconds", "sort_key"],
    descending: true,
  },
  shortest: {
    index: "videos_listed_by_length",
    keys: ["seconds", "sort_key"],
    descending: false,
  },
};

type NumberStatement = Statement<unknown[], number>;
type Prepare = (sql: string) => NumberStatement;

/**
 * Returns the row numbers in a section of a list, in order. Each list has the order of a partial index, and the rows
 * before the offset are skipped within the index.
 */
export function findRows(prepare: Prepare, query: ListQuery): number[] {
  const { order, categories, limit, offset, fromEnd } = query;
  const { index, byCategory, keys, descending } = ORDERS[order];
  const direction = descending !== fromEnd ? "DESC" : "ASC";
  // With ORDER BY on the union, SQLite merges the parts in index order instead of sorting.
  const parts =
    byCategory && categories.length > 0
      ? categories.map((category) => part(byCategory, keys, query, [category]))
      : [part(index, keys, query, categories)];
  const found = prepare(`
    SELECT number FROM (${parts.map(({ sql }) => sql).join(" UNION ALL ")}
      ORDER BY ${keys.map((key) => `${key} ${direction}`).join(", ")} LIMIT ? OFFSET ?)`)
    .pluck()
    .all(...parts.flatMap(({ values }) => values), limit, offset);
  return fromEnd ? found.reverse() : found;
}

/** Returns `findRows` for use in a query thread. */
export function listPages(sqlite: Database): (query: ListQuery) => number[] {
  const prepare = preparedOn(sqlite);
  return (query) => findRows(prepare, query);
}

function part(
  index: string,
  keys: readonly string[],
  { length, viewed }: Pick<ListQuery, "length" | "viewed">,
  categories: readonly string[],
): { sql: string; values: unknown[] } {
  // The unary plus keeps the planner from choosing another index for this column.
  const column = index.startsWith("videos_listed_by_category") ? "category" : "+category";
  const conditions = [
    "listed",
    viewed && "views > 0",
    length && "seconds BETWEEN ? AND ?",
    categories.length > 0 && `${column} IN (${categories.map(() => "?").join(", ")})`,
  ];
  return {
    sql: `SELECT ${["number", ...keys].join(", ")} FROM videos INDEXED BY ${index}
      WHERE ${conditions.filter(Boolean).join(" AND ")}`,
    values: [...(length ?? []), ...categories],
  };
}

/** Returns the rows of a short list in an order that doesn't match an index, by reading and sorting all of them. */
function sortRows(prepare: Prepare, query: Omit<ListQuery, "fromEnd">): number[] {
  const { order, categories, length, limit, offset } = query;
  const { keys, descending } = ORDERS[order];
  const direction = descending ? "DESC" : "ASC";
  const index = length ? "videos_listed_by_length" : "videos_listed_by_category";
  const { sql, values } = part(index, keys, query, categories);
  // The unary plus keeps the planner from scanning an index in sort order instead.
  const sorted = `${sql} ORDER BY ${keys.map((key) => `+${key} ${direction}`).join(", ")}`;
  return prepare(`SELECT number FROM (${sorted} LIMIT ? OFFSET ?)`)
    .pluck()
    .all(...values, limit, offset);
}

/** Counts the published videos in a duration range, optionally only those in the given categories. */
function countLength(prepare: Prepare, query: Pick<ListQuery, "categories" | "length">): number {
  const { sql, values } = part("videos_listed_by_length", [], query, query.categories);
  return prepare(`SELECT count(*) FROM (${sql})`)
    .pluck()
    .get(...values)!;
}

/** Returns a function that prepares each statement only once. */
function preparedOn(sqlite: Database): Prepare {
  const statements = new Map<string, NumberStatement>();
  return (sql) => {
    const statement = statements.get(sql) ?? sqlite.prepare<unknown[], number>(sql);
    statements.set(sql, statement);
    return statement;
  };
}

/** A request to the query thread for a list that doesn't match an index. */
export interface FilteredListQuery extends Pick<ListQuery, "order" | "categories" | "length"> {
  page: number;
  /** The total number of videos, if known. */
  total?: number;
}

export interface FilteredListResult {
  total: number;
  /** The requested page number, clamped to the existing pages. */
  page: number;
  /** The numbers of the rows on the page, in order. */
  numbers: number[];
}

/**
 * Lists up to this size are read in full and sorted. For longer lists, the index with the sort order is scanned. In a
 * catalogue of a million videos, such a list contains more than one in 200 videos.
 */
const MAX_SORTED = 5_000;
const MAX_CACHED_TOTALS = 200;

/** Returns a function that finds pages of filtered lists on one database connection. */
export function filteredPages(sqlite: Database): (query: FilteredListQuery) => FilteredListResult {
  const prepare = preparedOn(sqlite);
  const counted = catalogueCache<number>(sqlite, MAX_CACHED_TOTALS);

  function find(query: FilteredListQuery): FilteredListResult {
    const { categories, length } = query;
    const count = () => countLength(prepare, query);
    const total = query.total ?? counted(JSON.stringify([categories, length]), count);
    const page = clampPage(query.page, total);
    const offset = (page - 1) * PAGE_SIZE;
    const numbers =
      total <= MAX_SORTED
        ? sortRows(prepare, { ...query, offset, limit: PAGE_SIZE })
        : findRows(prepare, { ...query, ...fromNearerEnd(offset, total) });
    return { total, page, numbers };
  }

  // Runs in a transaction, so that the total and the page are consistent.
  return sqlite.transaction(find);
}
