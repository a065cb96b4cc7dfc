import { type SqlBool, sql } from "kysely";
import { database } from "~db/client.server";
import { CARD_COLUMNS, toCard } from "./card-row.server";
import { type CategoryId, storedValues } from "./categories";
import { clampPage, PAGE_SIZE, videoPage } from "./pages";
import type { VideoPage } from "./video-card";

export { PAGE_SIZE, pageParameter } from "./pages";

/** A longer search text is cut here. */
export const SEARCH_MAX_LENGTH = 200;

/** What of a search text counts: trimmed, at most 200 characters. */
export function searchText(value: string | null | undefined): string {
  return [...(value ?? "").trim()].slice(0, SEARCH_MAX_LENGTH).join("").trim();
}

/** One page of the published videos, newest first, of a category and with a text if asked. */
export async function listPublished(asked: {
  category?: CategoryId;
  search?: string;
  page: number;
}): Promise<VideoPage> {
  const needle = searchText(asked.search).toLowerCase();
  let query = database().selectFrom("videos").where("status", "=", "published");
  if (asked.category) query = query.where("category", "in", storedValues(asked.category));
  if (needle) {
    query = query.where(
      sql<SqlBool>`(instr(lower(title), ${needle}) > 0 OR EXISTS (
        SELECT 1 FROM json_each(tags) AS tag WHERE instr(lower(tag.value), ${needle}) > 0))`,
    );
  }
  const { total } = await query
    .select((e) => e.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const page = clampPage(asked.page, total);
  const rows = await query
    .select(CARD_COLUMNS)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(PAGE_SIZE)
    .offset((page - 1) * PAGE_SIZE)
    .execute();
  return videoPage(rows.map(toCard), page, total);
}

/** One page of the published videos with views, most viewed first, ties to the newer. */
export async function listTrending(asked: { page: number }): Promise<VideoPage> {
  const query = database()
    .selectFrom("videos")
    .where("status", "=", "published")
    .where("views", ">", 0);
  const { total } = await query
    .select((e) => e.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const page = clampPage(asked.page, total);
  const rows = await query
    .select(CARD_COLUMNS)
    .orderBy("views", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(PAGE_SIZE)
    .offset((page - 1) * PAGE_SIZE)
    .execute();
  return videoPage(rows.map(toCard), page, total);
}

/** Whether anything at all is published; it decides between the empty messages. */
export async function hasAnyVideo(): Promise<boolean> {
  const row = await database()
    .selectFrom("videos")
    .select("id")
    .where("status", "=", "published")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
