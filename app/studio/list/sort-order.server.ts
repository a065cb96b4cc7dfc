import { VIDEO_STATUSES, type VideoStatus } from "~db/schema";
import type { ManageView, Sort } from "./manage-address";

export const MANAGE_PAGE_SIZE = 50;

interface Order {
  /** What it sorts by, in SQL; of equals, the later entered goes with the larger. */
  keys: readonly string[];
  descending: boolean;
  /** An index of this order that also holds status and category. */
  index: string;
}

const AGE = { keys: ["sort_key"], index: "videos_by_age" };
const ORDERS: Record<Sort, Order> = {
  newest: { ...AGE, descending: true },
  oldest: { ...AGE, descending: false },
  views: { keys: ["views", "number"], index: "videos_by_views", descending: true },
  title: { keys: ["title COLLATE NOCASE", "number"], index: "videos_by_title", descending: false },
  longest: { keys: ["seconds", "number"], index: "videos_by_length", descending: true },
  largest: { keys: ["bytes", "number"], index: "videos_by_size", descending: true },
};

/** Makes the planner walk an index of the view's order. */
export function inOrder({ sort }: Pick<ManageView, "sort">): string {
  return `INDEXED BY ${ORDERS[sort].index}`;
}

export function orderBy({ sort }: Pick<ManageView, "sort">, backwards = false): string {
  const { keys, descending } = ORDERS[sort];
  const direction = descending !== backwards ? "DESC" : "ASC";
  return `ORDER BY ${keys.map((key) => `${key} ${direction}`).join(", ")}`;
}

export interface Filter {
  status?: VideoStatus;
  /** The names that rows of the category may have. */
  categories?: readonly string[];
}

/** Status and category as a condition and its values. */
export function filtered({ status, categories }: Filter): { where: string; values: string[] } {
  const conditions = ["TRUE"];
  const values: string[] = [];
  const among = (column: string, allowed: readonly string[]) => {
    conditions.push(`${column} IN (${allowed.map(() => "?").join(", ")})`);
    values.push(...allowed);
  };
  if (status || categories) among("status", status ? [status] : VIDEO_STATUSES);
  if (categories) among("category", categories);
  return { where: conditions.join(" AND "), values };
}
