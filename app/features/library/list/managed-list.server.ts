import { sql } from "kysely";
import { HAS_UNCLEAN_THUMBNAIL, HAS_UNCLEAN_VIDEO } from "~/media/metadata/clean-files.server";
import { storedValues } from "~/shared/categories";
import { projected } from "~db/changes.server";
import { database } from "~db/client.server";
import { firstRow } from "~db/run-query.server";
import { queryThread } from "~db/threads/query-thread.server";
import { totalOf } from "./list-totals.server";
import type { ManageView } from "./manage-address";
import { EDITABLE_COLUMNS, MANAGED_COLUMNS, toEditable, toManaged } from "./managed-row.server";
import { type ManagedQuery, type ManagedResult, sizeOf } from "./managed-search.server";
import type { EditableVideo, ManagedPage } from "./managed-video";

const hasPrivateMetadata = sql<0 | 1 | null>`
  ${sql.raw(HAS_UNCLEAN_VIDEO)} OR ${sql.raw(HAS_UNCLEAN_THUMBNAIL)}`.as("unclean");

/** One page of all videos, whatever their status, as the view asks. */
export async function listManaged(view: ManageView): Promise<ManagedPage> {
  await projected();
  const asked = forThread(view);
  const { scheduled, similar, waitsFor, uploadedBy, from, to, problems } = asked;
  const isCounted = scheduled || similar || waitsFor || uploadedBy || from || to || problems;
  const total = isCounted ? undefined : await totalOf(view);
  const query: ManagedQuery = { view: asked, total };
  const found = await queryThread<ManagedResult>("reading", "managed", query);
  const rows = await database()
    .selectFrom("videos")
    .select([...MANAGED_COLUMNS, "number"])
    .select(hasPrivateMetadata)
    .where("number", "in", found.rows)
    .execute();
  const byNumber = new Map(rows.map((row) => [row.number, toManaged(row)]));
  const videos = found.rows.flatMap((number) => byNumber.get(number) ?? []);
  const pageCount = Math.max(1, Math.ceil(found.total / sizeOf(view)));
  const page = Math.min(view.page, pageCount);
  return { videos, page, pageCount, total: found.total, more: found.more };
}

/** Every id of a view, in no order, at most `most`. */
export async function idsOf(view: ManageView, most: number): Promise<string[]> {
  await projected();
  return queryThread<string[]>("reading", "managed-ids", { view: forThread(view), most });
}

function forThread({ category, uploader, columns: _, ...view }: ManageView): ManagedQuery["view"] {
  const uploadedBy = view.uploadedBy ?? uploader;
  const categories = category && storedValues(category);
  return { ...view, uploadedBy, knownTo: view.uploadedBy, categories };
}

/**
 * A video with all that can be edited; undefined when it does not exist.
 *
 * @param uploadedBy undefined, too, when somebody else than this user has uploaded it.
 */
export async function findEditable(
  id: string,
  uploadedBy?: string,
): Promise<EditableVideo | undefined> {
  const row = await selectEditable(id, uploadedBy).executeTakeFirst();
  return row && toEditable(row);
}

/** The same for a transaction, as it has left the video. */
export function findEditableIn(id: string, uploadedBy?: string): EditableVideo | undefined {
  const row = firstRow(selectEditable(id, uploadedBy));
  return row && toEditable(row);
}

function selectEditable(id: string, uploadedBy: string | undefined) {
  const found = database()
    .selectFrom("videos")
    .select(EDITABLE_COLUMNS)
    .select(hasPrivateMetadata)
    .where("id", "=", id);
  return uploadedBy === undefined ? found : found.where("uploaded_by", "=", uploadedBy);
}
