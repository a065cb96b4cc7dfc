import { batchedCounts, mayCount } from "~/features/catalogue/views.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { WATCHED_PARTS } from "~/shared/statistics/watched-parts";
import { prepared } from "~db/client.server";

/** A video's aggregate watch statistics, without any trace of who watched it or when. */
export interface WatchedParts {
  /** The number of views in which the video was played. */
  views: number;
  /** For each twentieth of the video, the number of views in which it was watched. */
  parts: number[];
}

const batch = batchedCounts<WatchedParts>("Watched parts", {
  add: (counted, more) => (counted ? sum(counted, more) : more),
  writer: () => (id, counted) => {
    const { views, parts } = sum(readWatchedParts(id), counted);
    // Statistics aren't kept for a video that has been permanently deleted in the meantime.
    prepared(
      `INSERT INTO watched_parts (video_id, views, parts)
       SELECT @id, @views, @parts WHERE EXISTS (
         SELECT 1 FROM videos WHERE id = @id UNION ALL SELECT 1 FROM deleted_videos WHERE id = @id)
       ON CONFLICT DO UPDATE SET views = excluded.views, parts = excluded.parts`,
    ).run({ id, views, parts: JSON.stringify(parts) });
  },
});

/**
 * Counts one view in memory. Returns false if no published video has the id.
 *
 * @param report the output of `watchedReport`.
 * @param address the visitor's IP address; at most 60 views per hour are counted for each video and IP address, and any
 * further views are ignored.
 */
export function countWatched(id: string, report: string, address?: string): boolean {
  if (!isPublic(id)) return false;
  if (address !== undefined && !mayCount(address, `${id} watched`)) return true;
  batch.add(id, { views: 1, parts: [...report].map(Number) });
  return true;
}

/** Returns a video's stored statistics, or zeros if it doesn't have any. */
export function readWatchedParts(id: string): WatchedParts {
  const row = prepared<{ views: number; parts: string }>(
    "SELECT views, parts FROM watched_parts WHERE video_id = ?",
  ).get(id);
  if (!row) return { views: 0, parts: Array<number>(WATCHED_PARTS).fill(0) };
  return { views: row.views, parts: JSON.parse(row.parts) as number[] };
}

/** Writes all pending counts in one transaction. */
export const flushWatchedParts = batch.flush;

function sum(a: WatchedParts, b: WatchedParts): WatchedParts {
  return {
    views: a.views + b.views,
    parts: a.parts.map((count, part) => count + (b.parts[part] ?? 0)),
  };
}
