import { constants } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { totalsByCategory } from "~/features/library/list/managed-list.server";
import { settings } from "~/platform/settings.server";
import { estimateStorage, formatStorage } from "~/shared/format-bytes";
import { database, prepared } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import type { UploaderTotals } from "./uploader-totals.server";

export interface StudioStats {
  totalVideos: number;
  totalViews: number;
  /** The distinct values in `videos.category`, as stored. */
  totalCategories: number;
  /** The formatted size, such as `1.50 GB`, or `~0.10 GB` if the disk can't be read. */
  storageUsed: string;
}

/**
 * Returns the four statistics of the admin panel, for videos in any status.
 *
 * @param uploader the id of a user, to count only the videos that this user has uploaded.
 */
export async function studioStats(uploader?: string): Promise<StudioStats> {
  if (uploader !== undefined) return uploaderStats(uploader);
  const byCategory = await totalsByCategory();
  const all = [...byCategory.values()];
  const totals = {
    totalVideos: all.reduce((sum, { videos }) => sum + videos, 0),
    totalViews: all.reduce((sum, { views }) => sum + views, 0),
    totalCategories: storedCategoryCount(),
  };
  return { ...totals, storageUsed: await storageUsed(totals.totalVideos) };
}

async function uploaderStats(uploader: string): Promise<StudioStats> {
  const rows = await queryThread<UploaderTotals[]>("studio", "uploader-totals", uploader);
  const sum = (count: (row: UploaderTotals) => number) =>
    rows.reduce((total, row) => total + count(row), 0);
  return {
    totalVideos: sum(({ videos }) => videos),
    totalViews: sum(({ views }) => views),
    totalCategories: rows.length,
    storageUsed: formatStorage(sum(({ bytes }) => bytes)),
  };
}

function storedCategoryCount(): number {
  const count = prepared<number>(
    "SELECT count(DISTINCT category) FROM video_totals WHERE videos > 0",
  );
  return count.pluck().get()!;
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
