import { sql } from "kysely";
import { database } from "~db/client.server";
import type { ManageView } from "./manage-address";
import { EDITABLE_COLUMNS, MANAGED_COLUMNS, toEditable, toManaged } from "./managed-row.server";
import type { EditableVideo, ManagedPage } from "./managed-video";
import { filtered, inOrder, MANAGE_PAGE_SIZE, orderBy } from "./order.server";
import { type Found, searchAll, searchPage } from "./search.server";

/**
 * Up to here it is cheaper to collect the rows of a status and to sort them; beyond, to walk the
 * index of the order and to leave out what does not fit.
 */
const SORT_IN_MEMORY_UP_TO = 4_000;

/** One page of all videos, whatever their status, as the view asks. */
export async function listManaged(view: ManageView): Promise<ManagedPage> {
  const { ids, total, more } = view.search ? await searchPage(view) : await filterPage(view);
  const rows = await database()
    .selectFrom("videos")
    .select(MANAGED_COLUMNS)
    .where("id", "in", ids)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, toManaged(row)]));
  const videos = ids.map((id) => byId.get(id)).filter((video) => video !== undefined);
  return { videos, ...clamped(view.page, total), total, more };
}

/** Every id of a view, in no order, at most `most`. */
export async function idsOf(view: ManageView, most: number): Promise<string[]> {
  if (view.search) return searchAll(view, most);
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM videos WHERE ${filtered(view)} LIMIT ${most}`.execute(database());
  return rows.map(({ id }) => id);
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

/** A page without a search text, read from whichever end of the list is nearer. */
async function filterPage(view: ManageView): Promise<Found> {
  const total = await tally(view);
  const offset = (clamped(view.page, total).page - 1) * MANAGE_PAGE_SIZE;
  const limit = Math.min(MANAGE_PAGE_SIZE, total - offset);
  const backwards = offset > total / 2;
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM videos ${indexFor(view, total)} WHERE ${filtered(view)}
    ${orderBy(view, backwards)}
    LIMIT ${limit} OFFSET ${backwards ? total - offset - limit : offset}`.execute(database());
  const ids = rows.map(({ id }) => id);
  return { ids: backwards ? ids.reverse() : ids, total, more: false };
}

/** How many videos have the status and category. */
async function tally(view: ManageView): Promise<number> {
  let query = database().selectFrom("video_tallies");
  if (view.status) query = query.where("status", "=", view.status);
  if (view.category) query = query.where("shelf", "=", view.category);
  const row = await query
    .select((e) => e.fn.sum<number | null>("videos").as("total"))
    .executeTakeFirstOrThrow();
  return row.total ?? 0;
}

/** The planner knows nothing of how rare a status is, the tallies do. */
function indexFor(view: ManageView, total: number) {
  const rare = view.status && total <= SORT_IN_MEMORY_UP_TO;
  return rare ? sql`INDEXED BY videos_managed_by_state` : inOrder(view);
}

function clamped(page: number, total: number): { page: number; pageCount: number } {
  const pageCount = Math.max(1, Math.ceil(total / MANAGE_PAGE_SIZE));
  return { page: Math.min(page, pageCount), pageCount };
}
