import { constants } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { settings } from "~/server/settings.server";
import { database } from "~db/client.server";
import { totalsByCategory } from "../list/list-totals.server";
import { estimateStorage, formatStorage } from "./storage-text";

export interface StudioStats {
  totalVideos: number;
  totalViews: number;
  /** Distinct categories among the videos; a legacy value counts as today's. */
  totalCategories: number;
  /** As it is shown, such as `1.50 GB`, or `~0.10 GB` when the disk can't be read. */
  storageUsed: string;
}

/** The four figures of the admin panel, over all videos whatever their status. */
export async function studioStats(): Promise<StudioStats> {
  const byCategory = await totalsByCategory();
  const all = [...byCategory.values()];
  const totals = {
    totalVideos: all.reduce((sum, { videos }) => sum + videos, 0),
    totalViews: all.reduce((sum, { views }) => sum + views, 0),
    totalCategories: byCategory.size,
  };
  return { ...totals, storageUsed: await storageUsed(totals.totalVideos) };
}

async function storageUsed(videos: number): Promise<string> {
  try {
    for (const bucket of ["videos", "thumbnails"]) {
      await fs.access(path.join(settings().uploadsDir, bucket), constants.R_OK | constants.X_OK);
    }
    const row = await database().selectFrom("storage").select("bytes").executeTakeFirstOrThrow();
    return formatStorage(row.bytes);
  } catch {
    return estimateStorage(videos);
  }
}
