import type { Database, Statement } from "better-sqlite3";
import type { ListOrder } from "~/shared/list-view";

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

/** The index of each order, its keys, and whether the largest of them comes first. */
const ORDERS: Record<ListOrder, { index: string; keys: string[]; descending: boolean }> = {
  newest: { index: "videos_published", keys: ["sort_key"], descending: true },
  views: { index: "videos_published_by_views", keys: ["views", "sort_key"], descending: true },
  longest: {
    index: "videos_published_by_length",
    keys: ["seconds", "sort_key"],
    descending: true,
  },
  shortest: {
    index: "videos_published_by_length",
    keys: ["seconds", "sort_key"],
    descending: false,
  },
};

/**
 * The numbers of the rows, the first of the list first. Each list is in the order of a partial index,
 * and rows before the offset are passed over in the index alone.
 */
export function findRows(prepare: (sql: string) => Statement, question: ListQuestion): number[] {
  const { order, categories, limit, offset, fromEnd } = question;
  const { index, keys, descending } = ORDERS[order];
  const direction = descending !== fromEnd ? "DESC" : "ASC";
  const byCategory = order === "newest" && categories.length > 0;
  // Ordered as a whole, the parts are merged as they come out of the index, and none is sorted.
  const parts = byCategory
    ? categories.map((category) => part("videos_published_by_category", keys, question, [category]))
    : [part(index, keys, question, categories)];
  const found = prepare(`
    SELECT number FROM (${parts.map(({ sql }) => sql).join(" UNION ALL ")}
      ORDER BY ${keys.map((key) => `${key} ${direction}`).join(", ")} LIMIT ? OFFSET ?)`)
    .pluck()
    .all(...parts.flatMap(({ values }) => values), limit, offset) as number[];
  return fromEnd ? found.reverse() : found;
}

function part(
  index: string,
  keys: readonly string[],
  { length, viewed }: ListQuestion,
  categories: readonly string[],
): { sql: string; values: unknown[] } {
  const conditions = [
    "status = 'published'",
    viewed && "views > 0",
    length && "seconds BETWEEN ? AND ?",
    categories.length === 1 && "category = ?",
    // The plus: looked at row by row, and no reason for another index.
    categories.length > 1 && `+category IN (${categories.map(() => "?").join(", ")})`,
  ];
  return {
    sql: `SELECT number, ${keys.join(", ")} FROM videos INDEXED BY ${index}
      WHERE ${conditions.filter(Boolean).join(" AND ")}`,
    values: [...(length ?? []), ...categories],
  };
}

/** The same on a thread. */
export function listPages(sqlite: Database): (question: ListQuestion) => number[] {
  const statements = new Map<string, Statement>();
  return (question) =>
    findRows((sql) => {
      const statement = statements.get(sql) ?? sqlite.prepare(sql);
      statements.set(sql, statement);
      return statement;
    }, question);
}
