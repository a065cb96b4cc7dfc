import { storedValues, toCategoryId } from "~/shared/categories";
import { projected } from "~db/changes.server";
import { database } from "~db/client.server";
import type { ManageView } from "./manage-address";

export interface Totals {
  videos: number;
  views: number;
  bytes: number;
}

/** How many videos, views and bytes there are of each category, legacy names counted as today's. */
export async function totalsByCategory(
  filter: Pick<ManageView, "status" | "category"> = {},
): Promise<Map<string, Totals>> {
  await projected();
  let query = database()
    .selectFrom("video_totals")
    .select(["category", "videos", "views", "bytes"])
    .where("videos", ">", 0);
  if (filter.status) query = query.where("status", "=", filter.status);
  if (filter.category) query = query.where("category", "in", storedValues(filter.category));
  const byCategory = new Map<string, Totals>();
  for (const row of await query.execute()) {
    const category = toCategoryId(row.category) ?? row.category;
    const sum = byCategory.get(category) ?? { videos: 0, views: 0, bytes: 0 };
    sum.videos += row.videos;
    sum.views += row.views;
    sum.bytes += row.bytes;
    byCategory.set(category, sum);
  }
  return byCategory;
}

/** The same of all that a view shows without its search text. */
export async function totalOf(view: Pick<ManageView, "status" | "category">): Promise<number> {
  const all = await totalsByCategory(view);
  return [...all.values()].reduce((sum, { videos }) => sum + videos, 0);
}
