import type { Database } from "better-sqlite3";
import { clampPage, PAGE_SIZE } from "~/shared/pages";
import { catalogueCache } from "../catalogue-cache.server";
import {
  countLength,
  findRows,
  fromNearerEnd,
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
  const counted = catalogueCache<number>(sqlite, MAX_CACHED_TOTALS);

  function find(question: FilteredQuestion): FilteredAnswer {
    const { categories, length } = question;
    const count = () => countLength(prepare, question);
    const total = question.total ?? counted(JSON.stringify([categories, length]), count);
    const page = clampPage(question.page, total);
    const offset = (page - 1) * PAGE_SIZE;
    const numbers =
      total <= SORTED_MOST
        ? sortRows(prepare, { ...question, offset, limit: PAGE_SIZE })
        : findRows(prepare, { ...question, ...fromNearerEnd(offset, total) });
    return { total, page, numbers };
  }

  // In a transaction, so that total and page belong together.
  return sqlite.transaction(find);
}
