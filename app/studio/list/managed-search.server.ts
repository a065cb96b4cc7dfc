import type { Database } from "better-sqlite3";
import { fold } from "~/shared/fold";
import { searchText } from "~/shared/search-text";
import type { ManageView } from "./manage-address";
import { readTags } from "./managed-row.server";
import {
  type Filter,
  filtered,
  idsByState,
  MANAGE_PAGE_SIZE,
  orderBy,
  type Query,
  rowsByState,
  rowsInOrder,
} from "./sort-order.server";

/** Where the pages of the admin list begin and which videos are on them. Runs on a thread. */

/** So few videos of a status or category are collected and sorted: they lie too far apart. */
const MAX_SORTED_VIDEOS = 4_000;
/**
 * A search with at most so many matches is collected from the search index and sorted. One with more
 * finds its next match soon enough by walking the order; its list ends there all the same.
 */
export const MAX_SEARCH_MATCHES = 4_000;

/** What a view shows; the thread is told the names of its category. */
type View = Pick<ManageView, "search" | "sort" | "page"> & Filter;

export interface ManagedQuery {
  view: View;
  /** How many videos have the status and category of the view; undefined where they are counted. */
  total: number | undefined;
}

export interface ManagedResult {
  /** The numbers of the rows on the page. */
  rows: number[];
  total: number;
  /** There are more matches than `total`, which the list does not go on to. */
  more: boolean;
}

/** A page of a view, clamped to what exists. */
export function readManagedPage(sqlite: Database) {
  const search = managedSearch(sqlite);
  return ({ view, total }: ManagedQuery): ManagedResult =>
    view.search
      ? search.page(view)
      : filterPage(sqlite, view, total ?? countFew(sqlite, rowsByState(view)));
}

/** The ids of a view, in no order, at most `most`. */
export function readManagedIds(sqlite: Database) {
  const search = managedSearch(sqlite);
  return ({ view, most }: { view: View; most: number }): string[] => {
    if (view.search) return search.ids(view, most);
    const { sql, values } = idsByState(view);
    return sqlite
      .prepare(`${sql} LIMIT ?`)
      .pluck()
      .all(...values, most) as string[];
  };
}

function countFew(sqlite: Database, { sql, values }: Query): number {
  return sqlite
    .prepare(`SELECT count(*) FROM (${sql})`)
    .pluck()
    .get(...values) as number;
}

/** Read from the end of the order that is nearer. */
function filterPage(sqlite: Database, view: View, total: number): ManagedResult {
  const offset = startOf(view.page, total);
  const limit = Math.min(MANAGE_PAGE_SIZE, total - offset);
  const rest = total - offset - limit;
  const backwards = rest < offset;
  const isNarrow = view.status || view.scheduled || view.categories || view.uploadedBy;
  const isFew = isNarrow && total <= MAX_SORTED_VIDEOS;
  const { sql, values } = isFew ? rowsByState(view) : rowsInOrder(view);
  const rows = sqlite
    .prepare(`SELECT number FROM (${sql} ${orderBy(view, backwards)} LIMIT ? OFFSET ?)`)
    .pluck()
    .all(...values, limit, backwards ? rest : offset) as number[];
  return { rows: backwards ? rows.reverse() : rows, total, more: false };
}

function managedSearch(sqlite: Database) {
  sqlite.function(
    "video_holds",
    { deterministic: true },
    (title: unknown, tags: unknown, needle: unknown) =>
      Number(
        [String(title), ...readTags(tags as string | null)].some((text) =>
          fold(text).includes(String(needle)),
        ),
      ),
  );

  function matches(view: View) {
    const needle = fold(searchText(view.search));
    // Two characters are a token of one index, three and more a phrase of trigrams of the other.
    const index = [...needle].length < 3 ? "video_search_short" : "video_search";
    const { sql: where, values } = filtered(view);
    const phrase = `"${needle.replaceAll('"', '""')}"`;
    const found = `FROM ${index} CROSS JOIN videos INDEXED BY videos_by_age
      ON videos.sort_key = ${index}.rowid WHERE ${index} MATCH ? AND ${where}`;
    return { needle, index, values, phrase, found };
  }

  function page(view: View): ManagedResult {
    if (view.uploadedBy !== undefined) return searchOwn(view);
    const { index, phrase } = matches(view);
    const some = sqlite
      .prepare(`SELECT count(*) FROM (SELECT 1 FROM ${index} WHERE ${index} MATCH ? LIMIT ?)`)
      .pluck()
      .get(phrase, MAX_SEARCH_MATCHES + 1) as number;
    return some <= MAX_SEARCH_MATCHES ? collect(view) : walk(view);
  }

  function collect(view: View): ManagedResult {
    const { phrase, values, found } = matches(view);
    const all = sqlite
      .prepare(`SELECT number ${found} ${orderBy(view)}`)
      .pluck()
      .all(phrase, ...values) as number[];
    const start = startOf(view.page, all.length);
    return { rows: all.slice(start, start + MANAGE_PAGE_SIZE), total: all.length, more: false };
  }

  function walk(view: View): ManagedResult {
    const { needle } = matches(view);
    const holds = { sql: "video_holds(title, tags, ?)", values: [needle] };
    const { sql, values } = rowsInOrder(view, holds);
    const matching = (limit: number, offset: number) =>
      sqlite
        .prepare(`SELECT number FROM (${sql} ${orderBy(view)} LIMIT ? OFFSET ?)`)
        .pluck()
        .all(...values, limit, offset) as number[];
    const offset = (view.page - 1) * MANAGE_PAGE_SIZE;
    if (offset < MAX_SEARCH_MATCHES) {
      // One more than the page, to know whether the list goes on.
      const rows = matching(MANAGE_PAGE_SIZE + 1, offset);
      if (rows.length > MANAGE_PAGE_SIZE) {
        return { rows: rows.slice(0, MANAGE_PAGE_SIZE), total: MAX_SEARCH_MATCHES, more: true };
      }
      if (rows.length > 0 || offset === 0)
        return { rows, total: offset + rows.length, more: false };
    }
    const rows = matching(MAX_SEARCH_MATCHES, 0);
    const start = startOf(Number.POSITIVE_INFINITY, rows.length);
    return {
      rows: rows.slice(start),
      total: rows.length,
      more: rows.length === MAX_SEARCH_MATCHES,
    };
  }

  /** One user's uploads are read one by one: they are few, and may lie far apart among the matches. */
  function searchOwn(view: View): ManagedResult {
    const holds = { sql: "video_holds(title, tags, ?)", values: [matches(view).needle] };
    const { sql, values } = rowsByState(view, holds);
    const all = sqlite
      .prepare(`SELECT number FROM (${sql} ${orderBy(view)})`)
      .pluck()
      .all(...values) as number[];
    const start = startOf(view.page, all.length);
    return { rows: all.slice(start, start + MANAGE_PAGE_SIZE), total: all.length, more: false };
  }

  function ids(view: View, most: number): string[] {
    const { phrase, values, found } = matches(view);
    return sqlite
      .prepare(`SELECT id ${found} LIMIT ?`)
      .pluck()
      .all(phrase, ...values, most) as string[];
  }

  return { page, ids };
}

/** The offset of a page, or of the last there is. */
function startOf(page: number, total: number): number {
  const last = Math.max(1, Math.ceil(total / MANAGE_PAGE_SIZE));
  return (Math.min(page, last) - 1) * MANAGE_PAGE_SIZE;
}
