import type { Database } from "better-sqlite3";
import { LRUCache } from "lru-cache";
import { clampPage, PAGE_SIZE } from "~/shared/pages";
import {
  countLength,
  findRows,
  type ListQuestion,
  preparedOn,
  sortRows,
} from "./list-query.server";

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
const SORTED_MOST = 5_000;
const MAX_CACHED_TOTALS = 200;

/** Finds the pages of filtered lists on one connection. */
export function filteredPages(sqlite: Database): (question: FilteredQuestion) => FilteredAnswer {
  const prepare = preparedOn(sqlite);
  const version = sqlite.prepare("SELECT catalogue FROM catalogue_version").pluck();
  const totals = new LRUCache<string, number>({ max: MAX_CACHED_TOTALS });
  let countedVersion: unknown;

  function totalOf(question: FilteredQuestion): number {
    if (question.total !== undefined) return question.total;
    const now = version.get();
    if (now !== countedVersion) totals.clear();
    countedVersion = now;
    const key = JSON.stringify([question.categories, question.length]);
    const total = totals.get(key) ?? countLength(prepare, question);
    totals.set(key, total);
    return total;
  }

  function find(question: FilteredQuestion): FilteredAnswer {
    const total = totalOf(question);
    const page = clampPage(question.page, total);
    const offset = (page - 1) * PAGE_SIZE;
    const limit = Math.min(PAGE_SIZE, total - offset);
    if (total <= SORTED_MOST) {
      return { total, page, numbers: sortRows(prepare, { ...question, offset, limit }) };
    }
    // From the end of the list that is nearer.
    const rest = total - offset - limit;
    const fromEnd = rest < offset;
    const part = { ...question, offset: fromEnd ? rest : offset, limit, fromEnd };
    return { total, page, numbers: findRows(prepare, part) };
  }

  // In a transaction, so that total and page belong together.
  return sqlite.transaction(find);
}
