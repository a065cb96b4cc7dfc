import type { Database, Statement } from "better-sqlite3";

/** A part of a public list, as a query on `videos`. */
export interface ListQuestion {
  list: ListName;
  /** Of the list `category`: every name that its rows may have. */
  categories: readonly string[];
  offset: number;
  limit: number;
  /** Both are counted from the end of the list, which is nearer. */
  fromEnd: boolean;
}

export type ListName = "all" | "category" | "viewed";

/**
 * The numbers of the rows, the first of the list first. Each list is in the order of a partial index,
 * and rows before the offset are passed over in the index alone.
 */
export function findRows(
  prepare: (sql: string) => Statement,
  { list, categories, offset, limit, fromEnd }: ListQuestion,
): number[] {
  const direction = fromEnd ? "ASC" : "DESC";
  // Ordered as a whole, the parts are merged as they come out of the index, and none is sorted.
  const inCategory = `SELECT number, sort_key FROM videos INDEXED BY videos_published_by_category
    WHERE status = 'published' AND category = ?`;
  const rows = {
    all: `SELECT number, sort_key FROM videos INDEXED BY videos_published
      WHERE status = 'published' ORDER BY sort_key ${direction}`,
    category: `${categories.map(() => inCategory).join(" UNION ALL ")}
      ORDER BY sort_key ${direction}`,
    viewed: `SELECT number, sort_key FROM videos INDEXED BY videos_published_by_views
      WHERE status = 'published' AND views > 0 ORDER BY views ${direction}, sort_key ${direction}`,
  }[list];
  const found = prepare(`SELECT number FROM (${rows} LIMIT ? OFFSET ?)`)
    .pluck()
    .all(...(list === "category" ? categories : []), limit, offset) as number[];
  return fromEnd ? found.reverse() : found;
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
