import { sql } from "kysely";
import { database } from "~db/client.server";
import type { ManageView } from "./manage-address";
import { EDITABLE_COLUMNS, MANAGED_COLUMNS, toEditable, toManaged } from "./managed-row.server";
import type { EditableVideo, ManagedPage } from "./managed-video";
import {
  filtered,
  inOrder,
  isDescending,
  isUnpublished,
  MANAGE_PAGE_SIZE,
  orderBy,
} from "./order.server";
import { type Found, searchAll, searchPage } from "./search.server";
import { findStart, from } from "./segments.server";

/** So few videos of a category are collected and sorted; they lie too far apart in any order. */
const SORT_IN_MEMORY_UP_TO = 4_000;
/** A page so near to either end of its order is walked to. */
const NEAR = 2_000;

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

/** A page without a search text. */
async function filterPage(view: ManageView): Promise<Found> {
  const total = await tally(view);
  const offset = (clamped(view.page, total).page - 1) * MANAGE_PAGE_SIZE;
  const limit = Math.min(MANAGE_PAGE_SIZE, total - offset);
  const rest = total - offset - limit;
  // Between the public videos stand others, whose status is in none of the indexes walked here.
  const others =
    view.status === "published" ? (await tally({ ...view, status: undefined })) - total : 0;
  // The planner knows nothing of how rare a category is, the tallies do.
  const scattered = view.category && total + others <= SORT_IN_MEMORY_UP_TO && !isUnpublished(view);
  // The middle is read from the small end of the order on, whichever end the view begins at.
  const middle = Math.max(Math.min(offset, rest), others) > NEAR && !scattered;
  const backwards = middle ? isDescending(view) : offset > rest;
  const start = middle ? await findStart(view, isDescending(view) ? rest : offset) : undefined;
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM videos ${scattered ? sql`INDEXED BY videos_by_shelf` : inOrder(view)}
    WHERE ${filtered(view)} AND ${start ? from(view, start) : sql`TRUE`}
    ${orderBy(view, backwards)}
    LIMIT ${limit} OFFSET ${start?.skip ?? (backwards ? rest : offset)}`.execute(database());
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

function clamped(page: number, total: number): { page: number; pageCount: number } {
  const pageCount = Math.max(1, Math.ceil(total / MANAGE_PAGE_SIZE));
  return { page: Math.min(page, pageCount), pageCount };
}
