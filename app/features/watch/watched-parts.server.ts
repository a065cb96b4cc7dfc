import { batchedCounts, mayCount } from "~/features/catalogue/views.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { WATCHED_PARTS } from "~/shared/statistics/watched-parts";
import { prepared } from "~db/client.server";

/** What is counted of a video: totals, without any mark of who has watched it, or when. */
export interface WatchedParts {
  /** Views in which it was played. */
  views: number;
  /** In how many of them each twentieth of the video was watched. */
  parts: number[];
}

const batch = batchedCounts<WatchedParts>("Watched parts", {
  add: (counted, more) => (counted ? sum(counted, more) : more),
  writer: () => (id, counted) => {
    const { views, parts } = sum(readWatchedParts(id), counted);
    // Of a video that was deleted for good meanwhile nothing is kept.
    prepared(
      `INSERT INTO watched_parts (video_id, views, parts)
       SELECT @id, @views, @parts WHERE EXISTS (
         SELECT 1 FROM videos WHERE id = @id UNION ALL SELECT 1 FROM deleted_videos WHERE id = @id)
       ON CONFLICT DO UPDATE SET views = excluded.views, parts = excluded.parts`,
    ).run({ id, views, parts: JSON.stringify(parts) });
  },
});

/**
 * Counts one view in memory; false when no published video has the id.
 *
 * @param report what `watchedReport` makes.
 * @param address whose views of a video are counted 60 times an hour at most, and no further.
 */
export function countWatched(id: string, report: string, address?: string): boolean {
  if (!isPublic(id)) return false;
  if (address !== undefined && !mayCount(address, `${id} watched`)) return true;
  batch.add(id, { views: 1, parts: [...report].map(Number) });
  return true;
}

/** What is written of a video; zeros where nothing is. */
export function readWatchedParts(id: string): WatchedParts {
  const row = prepared<{ views: number; parts: string }>(
    "SELECT views, parts FROM watched_parts WHERE video_id = ?",
  ).get(id);
  if (!row) return { views: 0, parts: Array<number>(WATCHED_PARTS).fill(0) };
  return { views: row.views, parts: JSON.parse(row.parts) as number[] };
}

/** Writes all that is counted, in one transaction. */
export const flushWatchedParts = batch.flush;

function sum(a: WatchedParts, b: WatchedParts): WatchedParts {
  return {
    views: a.views + b.views,
    parts: a.parts.map((count, part) => count + (b.parts[part] ?? 0)),
  };
}
