import type { Database } from "better-sqlite3";
import { fold } from "~/shared/fold";
import { searchText } from "~/shared/search-text";
import { readTags } from "~db/tags";
import { DEFAULT_PAGE_SIZE, type ManageView } from "./manage-address";
import {
  countedRows,
  type Filter,
  filtered,
  idsByState,
  isNarrow,
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
/** So few videos of other filters are read one by one for a text, in some 30 ms. */
const MAX_READ_VIDEOS = 6_000;

/** What a view shows; the thread is told the names of its category. */
type View = Pick<ManageView, "search" | "sort" | "page" | "size"> & Filter;

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
      : // Put together once: to look up the videos of all failed jobs is most of the work.
        view.problems?.includes("failed")
        ? collectFew(sqlite, view)
        : filterPage(sqlite, view, total ?? countRows(sqlite, countedRows(view)));
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

function countRows(sqlite: Database, { sql, values }: Query): number {
  return sqlite
    .prepare(`SELECT count(*) FROM (${sql})`)
    .pluck()
    .get(...values) as number;
}

/** Read from the end of the order that is nearer. */
function filterPage(sqlite: Database, view: View, total: number): ManagedResult {
  const offset = startOf(view, total);
  const limit = Math.min(sizeOf(view), total - offset);
  const rest = total - offset - limit;
  const backwards = rest < offset;
  const isFew = isNarrow(view) && total <= MAX_SORTED_VIDEOS;
  const { sql, values } = isFew ? rowsByState(view) : rowsInOrder(view);
  const rows = sqlite
    .prepare(`SELECT number FROM (${sql} ${orderBy(view, backwards)} LIMIT ? OFFSET ?)`)
    .pluck()
    .all(...values, limit, backwards ? rest : offset) as number[];
  return { rows: backwards ? rows.reverse() : rows, total, more: false };
}

/** All rows of a view, sorted, of which the page is a part. */
function collectFew(sqlite: Database, view: View, condition?: Query): ManagedResult {
  const { sql, values } = rowsByState(view, condition);
  const all = sqlite
    .prepare(`SELECT number FROM (${sql} ${orderBy(view)})`)
    .pluck()
    .all(...values) as number[];
  const start = startOf(view, all.length);
  return { rows: all.slice(start, start + sizeOf(view)), total: all.length, more: false };
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
    if (hasOwnIndex(view) && isFew(view)) return searchFew(view);
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
    const start = startOf(view, all.length);
    return { rows: all.slice(start, start + sizeOf(view)), total: all.length, more: false };
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
    const size = sizeOf(view);
    const offset = (view.page - 1) * size;
    if (offset < MAX_SEARCH_MATCHES) {
      // One more than the page, to know whether the list goes on.
      const rows = matching(size + 1, offset);
      if (rows.length > size) {
        return { rows: rows.slice(0, size), total: MAX_SEARCH_MATCHES, more: true };
      }
      if (rows.length > 0 || offset === 0)
        return { rows, total: offset + rows.length, more: false };
    }
    const rows = matching(MAX_SEARCH_MATCHES, 0);
    const start = startOf({ ...view, page: Number.POSITIVE_INFINITY }, rows.length);
    return {
      rows: rows.slice(start),
      total: rows.length,
      more: rows.length === MAX_SEARCH_MATCHES,
    };
  }

  function isFew(view: View): boolean {
    const { sql, values } = countedRows(view);
    const some = { sql: `${sql} LIMIT ?`, values: [...values, MAX_READ_VIDEOS + 1] };
    return countRows(sqlite, some) <= MAX_READ_VIDEOS;
  }

  /** Few rows are read one by one: they may lie far apart among the matches. */
  function searchFew(view: View): ManagedResult {
    const holds = { sql: "video_holds(title, tags, ?)", values: [matches(view).needle] };
    return collectFew(sqlite, view, holds);
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
function startOf(view: Pick<View, "page" | "size">, total: number): number {
  const size = sizeOf(view);
  const last = Math.max(1, Math.ceil(total / size));
  return (Math.min(view.page, last) - 1) * size;
}

/** Videos of a page. */
export function sizeOf({ size = DEFAULT_PAGE_SIZE }: Pick<View, "size">): number {
  return size;
}

/** Whether an index has the rows of the view, beside that of status and category. */
function hasOwnIndex({ uploadedBy, from, to, problems }: Filter): boolean {
  return Boolean(uploadedBy || from || to || problems);
}
