import { storedValues } from "~/catalogue/categories";
import { VIDEO_STATUSES } from "~db/schema";
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

/** Status and category of a view, as a condition and its values. */
export function filtered({ status, category }: Pick<ManageView, "status" | "category">): {
  where: string;
  values: string[];
} {
  const conditions = ["TRUE"];
  const values: string[] = [];
  const among = (column: string, allowed: readonly string[]) => {
    conditions.push(`${column} IN (${allowed.map(() => "?").join(", ")})`);
    values.push(...allowed);
  };
  if (status || category) among("status", status ? [status] : VIDEO_STATUSES);
  if (category) among("category", storedValues(category));
  return { where: conditions.join(" AND "), values };
}
