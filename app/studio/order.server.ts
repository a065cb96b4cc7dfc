import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { ManageView, Sort } from "./manage-address";

export const MANAGE_PAGE_SIZE = 50;

/** One order of the list, with what the database keeps for it (migrations 0130 and 0150). */
export interface Order {
  /** What it sorts by, in SQL. */
  key: string;
  /** Holds the category too, so that a filter by it is answered from the index alone. */
  index: string;
  /** The same of the few videos that are not public, with their status. */
  unpublishedIndex: string;
  segments: string;
}

function order(name: string, key: string): Order {
  return {
    key,
    index: `videos_managed_by_${name}`,
    unpublishedIndex: `videos_unpublished_by_${name}`,
    segments: `managed_by_${name}`,
  };
}

const AGE = order("age", "created_at");
const ORDERS: Record<Sort, { order: Order; descending: boolean }> = {
  newest: { order: AGE, descending: true },
  oldest: { order: AGE, descending: false },
  views: { order: order("views", "views"), descending: true },
  title: { order: order("title", "title COLLATE NOCASE"), descending: false },
  longest: { order: order("length", "seconds"), descending: true },
  largest: { order: order("size", "bytes"), descending: true },
};

export const ALL_ORDERS = [...new Set(Object.values(ORDERS).map(({ order }) => order))];

export function orderOf({ sort }: ManageView): Order {
  return ORDERS[sort].order;
}

export function isDescending({ sort }: ManageView): boolean {
  return ORDERS[sort].descending;
}

/** ORDER BY of a view; of equals, the later or larger id goes with the later or larger rest. */
export function orderBy({ sort }: ManageView, backwards = false): RawBuilder<unknown> {
  const { order, descending } = ORDERS[sort];
  const direction = descending !== backwards ? sql`DESC` : sql`ASC`;
  return sql`ORDER BY ${sql.raw(order.key)} ${direction}, id ${direction}`;
}

/** Makes the planner walk an index of the view's order. */
export function inOrder(view: ManageView): RawBuilder<unknown> {
  const { index, unpublishedIndex } = orderOf(view);
  return sql`INDEXED BY ${sql.ref(isUnpublished(view) ? unpublishedIndex : index)}`;
}

/** Whether the view asks for a status that is not public. */
export function isUnpublished({ status }: ManageView): boolean {
  return status !== undefined && status !== "published";
}

/** Status and category of a view, as a condition. */
export function filtered(view: ManageView): RawBuilder<SqlBool> {
  const { status, category } = view;
  const all: RawBuilder<SqlBool>[] = [sql`TRUE`];
  if (status) all.push(sql`status = ${status}`);
  // Said once more, in the words of the index that holds only these.
  if (isUnpublished(view)) all.push(sql`status <> 'published'`);
  if (category) all.push(sql`shelf = ${category}`);
  return sql.join(all, sql` AND `);
}
