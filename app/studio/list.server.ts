import { type SqlBool, sql } from "kysely";
import { storedValues } from "~/catalogue/categories";
import { database } from "~db/client.server";
import type { ManageView, Sort } from "./manage-address";
import { EDITABLE_COLUMNS, MANAGED_COLUMNS, toEditable, toManaged } from "./managed-row.server";
import type { EditableVideo, ManagedPage } from "./managed-video";

export const MANAGE_PAGE_SIZE = 50;

const ORDERS: Record<Sort, readonly [column: string, direction: "asc" | "desc"]> = {
  newest: ["created_at", "desc"],
  oldest: ["created_at", "asc"],
  views: ["views", "desc"],
  title: ["title", "asc"],
  longest: ["seconds", "desc"],
  largest: ["bytes", "desc"],
};

/** One page of all videos, whatever their status, as the view asks. */
export async function listManaged(view: ManageView): Promise<ManagedPage> {
  let query = database().selectFrom("videos");
  if (view.status) query = query.where("status", "=", view.status);
  if (view.category) query = query.where("category", "in", storedValues(view.category));
  const needle = view.search.toLowerCase();
  if (needle) {
    query = query.where(
      sql<SqlBool>`(instr(lower(title), ${needle}) > 0 OR EXISTS (
        SELECT 1 FROM json_each(tags) AS tag WHERE instr(lower(tag.value), ${needle}) > 0))`,
    );
  }
  const { total } = await query
    .select((e) => e.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const pageCount = Math.max(1, Math.ceil(total / MANAGE_PAGE_SIZE));
  const page = Math.min(view.page, pageCount);
  const [column, direction] = ORDERS[view.sort];
  const rows = await query
    .select(MANAGED_COLUMNS)
    .orderBy(view.sort === "title" ? sql`title COLLATE NOCASE` : sql.ref(column), direction)
    .orderBy("id", direction)
    .limit(MANAGE_PAGE_SIZE)
    .offset((page - 1) * MANAGE_PAGE_SIZE)
    .execute();
  return { videos: rows.map(toManaged), page, pageCount, total };
}

/** A video with all that can be edited; undefined when it is gone. */
export async function findEditable(id: string): Promise<EditableVideo | undefined> {
  const row = await database()
    .selectFrom("videos")
    .select(EDITABLE_COLUMNS)
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toEditable(row);
}
