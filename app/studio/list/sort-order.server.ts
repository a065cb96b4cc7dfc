import { VIDEO_STATUSES, type VideoStatus } from "~db/schema";
import type { ManageView, Sort, WaitsFor } from "./manage-address";

export const MANAGE_PAGE_SIZE = 50;

interface Order {
  /** What it sorts by, in SQL; of equals, the later entered or the newer goes with the larger. */
  keys: readonly string[];
  descending: boolean;
  /** Indexes of this order, which together have every row, and also hold status and category. */
  indexes: readonly Index[];
}

interface Index {
  name: string;
  /** The condition of a partial index, and the statuses that rows in it may have. */
  condition: string;
  statuses: readonly VideoStatus[];
}

const all = (name: string): Index[] => [{ name, condition: "TRUE", statuses: VIDEO_STATUSES }];
const both = (published: string, others: string): Index[] => [
  { name: published, condition: "status = 'published'", statuses: ["published"] },
  {
    name: others,
    condition: "status <> 'published'",
    statuses: VIDEO_STATUSES.filter((status) => status !== "published"),
  },
];

/** When the next thing of its schedule happens to a row; after every time for one without. */
const NEXT_TIME = `min(coalesce(CASE WHEN status <> 'published' THEN publish_at END, '9'),
  coalesce(unpublish_at, '9'))`;
const AGE = { keys: ["sort_key"], indexes: all("videos_by_age") };
const ORDERS: Record<Sort, Order> = {
  newest: { ...AGE, descending: true },
  oldest: { ...AGE, descending: false },
  views: {
    keys: ["views", "sort_key"],
    indexes: both("videos_published_by_views", "videos_unpublished_by_views"),
    descending: true,
  },
  title: {
    keys: ["title COLLATE NOCASE", "number"],
    indexes: all("videos_by_title"),
    descending: false,
  },
  longest: {
    keys: ["seconds", "sort_key"],
    indexes: both("videos_published_by_length", "videos_unpublished_by_length"),
    descending: true,
  },
  largest: { keys: ["bytes", "number"], indexes: all("videos_by_size"), descending: true },
  // Of the few that have a time, see `rowsBy`; the next first.
  schedule: { keys: [NEXT_TIME, "number"], indexes: AGE.indexes, descending: false },
};
/** In no order, for the few rows of a status or category. */
const BY_STATE = both("videos_published_by_category", "videos_unpublished_by_state");
/** What one user has uploaded, by age. */
const BY_UPLOADER = all("videos_by_uploader");

export interface Filter {
  status?: VideoStatus;
  /** Only rows with a time at which they are published or hidden. */
  scheduled?: boolean;
  /** The names that rows of the category may have. */
  categories?: readonly string[];
  /** Only drafts that are ready, or those that are not. */
  waitsFor?: WaitsFor;
  /** Only rows that this user has uploaded. */
  uploadedBy?: string;
}

/** A query and the values of its parameters. */
export interface Query {
  sql: string;
  values: unknown[];
}

export function orderBy({ sort }: Pick<ManageView, "sort">, backwards = false): string {
  const { keys, descending } = ORDERS[sort];
  const direction = descending !== backwards ? "DESC" : "ASC";
  return `ORDER BY ${keys.map((key) => `${key} ${direction}`).join(", ")}`;
}

/**
 * The rows of a view by indexes of its order, whose parts are merged as they come, and none is sorted.
 *
 * @param condition one more, of each row.
 */
export function rowsInOrder(view: Filter & Pick<ManageView, "sort">, condition?: Query): Query {
  const { keys, indexes } = ORDERS[view.sort];
  const isOwnByAge = view.uploadedBy !== undefined && keys === AGE.keys;
  return rowsBy(isOwnByAge ? BY_UPLOADER : indexes, view, columnsFor(view), condition);
}

/** The same by status and category, or by uploader, which is good for few rows: they are sorted. */
export function rowsByState(view: Filter & Pick<ManageView, "sort">, condition?: Query): Query {
  const indexes = view.uploadedBy === undefined ? BY_STATE : BY_UPLOADER;
  return rowsBy(indexes, view, columnsFor(view), condition);
}

/** The ids of the rows of a view, in no order. */
export function idsByState(view: Filter): Query {
  const byState = view.status || view.categories ? BY_STATE : AGE.indexes;
  return rowsBy(view.uploadedBy === undefined ? byState : BY_UPLOADER, view, "id");
}

/** The number of a row and what orders it, which a query of several parts must have to be merged. */
function columnsFor({ sort }: Pick<ManageView, "sort">): string {
  const keys = ORDERS[sort].keys.map((key) => key.replace(" COLLATE NOCASE", ""));
  return [...new Set(["number", ...keys])].join(", ");
}

function rowsBy(
  indexes: readonly Index[],
  view: Filter,
  columns: string,
  condition: Query = { sql: "TRUE", values: [] },
): Query {
  if (view.scheduled) {
    // They are few: found by their own indexes, and sorted.
    const filter = filtered(view);
    return {
      sql: `SELECT ${columns} FROM videos WHERE ${filter.sql} AND ${condition.sql}`,
      values: [...filter.values, ...condition.values],
    };
  }
  const parts = indexes
    .filter(({ statuses }) => !view.status || statuses.includes(view.status))
    .map(({ name, condition: isHeld, statuses }) => {
      const filter = filtered(view, statuses);
      return {
        sql: `SELECT ${columns} FROM videos INDEXED BY ${name}
          WHERE ${isHeld} AND ${filter.sql} AND ${condition.sql}`,
        values: [...filter.values, ...condition.values],
      };
    });
  return {
    sql: parts.map(({ sql }) => sql).join(" UNION ALL "),
    values: parts.flatMap(({ values }) => values),
  };
}

const IS_SCHEDULED = `number IN (SELECT number FROM videos WHERE publish_at IS NOT NULL
  UNION ALL SELECT number FROM videos WHERE unpublish_at IS NOT NULL)`;

/** Status, schedule, category and uploader as a condition, of rows of these statuses. */
export function filtered(
  { status, scheduled, waitsFor, categories, uploadedBy }: Filter,
  statuses: readonly VideoStatus[] = VIDEO_STATUSES,
): Query {
  const conditions = ["TRUE"];
  const values: string[] = [];
  const among = (column: string, allowed: readonly string[]) => {
    conditions.push(`${column} IN (${allowed.map(() => "?").join(", ")})`);
    values.push(...allowed);
  };
  if (status || categories) among("status", status ? [status] : statuses);
  if (waitsFor) conditions.push(`ready_at IS ${waitsFor === "editor" ? "NOT NULL" : "NULL"}`);
  if (scheduled) conditions.push(IS_SCHEDULED);
  if (categories) among("category", categories);
  if (uploadedBy !== undefined) among("uploaded_by", [uploadedBy]);
  return { sql: conditions.join(" AND "), values };
}
