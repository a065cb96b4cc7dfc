import type { Database, Statement } from "better-sqlite3";
import type { ListOrder } from "~/shared/list-view";
import { clampPage, PAGE_SIZE } from "~/shared/pages";
import { catalogueCache } from "./catalogue-cache.server";

/** A part of a public list, as a query on `videos`. */
export interface ListQuestion {
  order: ListOrder;
  /** Every name that rows of the category may have; of no category: none. */
  categories: readonly string[];
  /** Seconds, both included. */
  length?: readonly [from: number, to: number];
  /** Only what has views. */
  viewed?: boolean;
  offset: number;
  limit: number;
  /** Both are counted from the end of the list, which is nearer. */
  fromEnd: boolean;
}

/** The page that begins at an offset, counted from the end of the list that is nearer. */
export function fromNearerEnd(
  offset: number,
  total: number,
): Pick<ListQuestion, "offset" | "limit" | "fromEnd"> {
  const rest = Math.max(0, total - offset - PAGE_SIZE);
  return rest < offset
    ? { offset: rest, limit: Math.min(PAGE_SIZE, total - offset), fromEnd: true }
    : { offset, limit: PAGE_SIZE, fromEnd: false };
}

interface Order {
  index: string;
  /** The same within a category, where there is one. */
  byCategory?: string;
  keys: string[];
  /** Whether the largest of the keys comes first. */
  descending: boolean;
}

const ORDERS: Record<ListOrder, Order> = {
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
 * The numbers of the rows, the first of the list first. Each list is in the order of a partial index,
 * and rows before the offset are passed over in the index alone.
 */
export function findRows(prepare: Prepare, question: ListQuestion): number[] {
  const { order, categories, limit, offset, fromEnd } = question;
  const { index, byCategory, keys, descending } = ORDERS[order];
  const direction = descending !== fromEnd ? "DESC" : "ASC";
  // Ordered as a whole, the parts are merged as they come out of the index, and none is sorted.
  const parts =
    byCategory && categories.length > 0
      ? categories.map((category) => part(byCategory, keys, question, [category]))
      : [part(index, keys, question, categories)];
  const found = prepare(`
    SELECT number FROM (${parts.map(({ sql }) => sql).join(" UNION ALL ")}
      ORDER BY ${keys.map((key) => `${key} ${direction}`).join(", ")} LIMIT ? OFFSET ?)`)
    .pluck()
    .all(...parts.flatMap(({ values }) => values), limit, offset);
  return fromEnd ? found.reverse() : found;
}

/** `findRows` on a thread. */
export function listPages(sqlite: Database): (question: ListQuestion) => number[] {
  const prepare = preparedOn(sqlite);
  return (question) => findRows(prepare, question);
}

function part(
  index: string,
  keys: readonly string[],
  { length, viewed }: Pick<ListQuestion, "length" | "viewed">,
  categories: readonly string[],
): { sql: string; values: unknown[] } {
  // The plus: compared row by row, and no reason for another index.
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

/** The rows of few enough videos, in an order that no index gives them: all are read and sorted. */
function sortRows(prepare: Prepare, question: Omit<ListQuestion, "fromEnd">): number[] {
  const { order, categories, length, limit, offset } = question;
  const { keys, descending } = ORDERS[order];
  const direction = descending ? "DESC" : "ASC";
  const index = length ? "videos_listed_by_length" : "videos_listed_by_category";
  const { sql, values } = part(index, keys, question, categories);
  // The plus keeps the planner from walking an index of the order instead.
  const sorted = `${sql} ORDER BY ${keys.map((key) => `+${key} ${direction}`).join(", ")}`;
  return prepare(`SELECT number FROM (${sorted} LIMIT ? OFFSET ?)`)
    .pluck()
    .all(...values, limit, offset);
}

/** How many published videos are of a length, and of the categories if any. */
function countLength(
  prepare: Prepare,
  question: Pick<ListQuestion, "categories" | "length">,
): number {
  const { sql, values } = part("videos_listed_by_length", [], question, question.categories);
  return prepare(`SELECT count(*) FROM (${sql})`)
    .pluck()
    .get(...values)!;
}

/** Prepares each statement once. */
function preparedOn(sqlite: Database): Prepare {
  const statements = new Map<string, NumberStatement>();
  return (sql) => {
    const statement = statements.get(sql) ?? sqlite.prepare<unknown[], number>(sql);
    statements.set(sql, statement);
    return statement;
  };
}

/** What the reading thread is asked for a list that no index has as it is. */
export interface FilteredQuestion extends Pick<ListQuestion, "order" | "categories" | "length"> {
  page: number;
  /** How many videos it has, where that is known. */
  total?: number;
}

export interface FilteredAnswer {
  total: number;
  /** What was asked, clamped. */
  page: number;
  /** Of the rows on the page, in its order. */
  numbers: number[];
}

/**
 * A list of no more videos is read whole and sorted. Of more, the rows are passed over in the index of
 * the order, where at least one in 200 of a million is of the list.
 */
const MAX_SORTED = 5_000;
const MAX_CACHED_TOTALS = 200;

/** Finds the pages of filtered lists on one connection. */
export function filteredPages(sqlite: Database): (question: FilteredQuestion) => FilteredAnswer {
  const prepare = preparedOn(sqlite);
  const counted = catalogueCache<number>(sqlite, MAX_CACHED_TOTALS);

  function find(question: FilteredQuestion): FilteredAnswer {
    const { categories, length } = question;
    const count = () => countLength(prepare, question);
    const total = question.total ?? counted(JSON.stringify([categories, length]), count);
    const page = clampPage(question.page, total);
    const offset = (page - 1) * PAGE_SIZE;
    const numbers =
      total <= MAX_SORTED
        ? sortRows(prepare, { ...question, offset, limit: PAGE_SIZE })
        : findRows(prepare, { ...question, ...fromNearerEnd(offset, total) });
    return { total, page, numbers };
  }

  // In a transaction, so that total and page belong together.
  return sqlite.transaction(find);
}
