import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { ManageView, Sort } from "./manage-address";

export const MANAGE_PAGE_SIZE = 50;

/** Each order of the list with its index, which holds status and category too (migration 0010). */
const ORDERS: Record<Sort, { by: RawBuilder<unknown>; descending: boolean; index: string }> = {
  newest: { by: sql`created_at`, descending: true, index: "videos_managed_by_age" },
  oldest: { by: sql`created_at`, descending: false, index: "videos_managed_by_age" },
  views: { by: sql`views`, descending: true, index: "videos_managed_by_views" },
  title: { by: sql`title COLLATE NOCASE`, descending: false, index: "videos_managed_by_title" },
  longest: { by: sql`seconds`, descending: true, index: "videos_managed_by_length" },
  largest: { by: sql`bytes`, descending: true, index: "videos_managed_by_size" },
};

/** ORDER BY of a view; of equals, the later or larger id goes with the later or larger rest. */
export function orderBy({ sort }: ManageView, backwards = false): RawBuilder<unknown> {
  const { by, descending } = ORDERS[sort];
  const direction = descending !== backwards ? sql`DESC` : sql`ASC`;
  return sql`ORDER BY ${by} ${direction}, id ${direction}`;
}

/** Makes the planner walk the index of the view's order. */
export function inOrder({ sort }: ManageView): RawBuilder<unknown> {
  return sql`INDEXED BY ${sql.ref(ORDERS[sort].index)}`;
}

/** Status and category of a view, as a condition. */
export function filtered({ status, category }: ManageView): RawBuilder<SqlBool> {
  const all: RawBuilder<SqlBool>[] = [sql`TRUE`];
  if (status) all.push(sql`status = ${status}`);
  if (category) all.push(sql`shelf = ${category}`);
  return sql.join(all, sql` AND `);
}
