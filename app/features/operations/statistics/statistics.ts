import type { WatchedParts } from "~/features/watch/watched-parts.server";
import { WATCHED_PARTS } from "~/shared/statistics/watched-parts";
import type {
  readSourceStatistics,
  readStatistics,
  readVideoStatistics,
} from "./statistics.server";

/** The types and calculations for the statistics pages. */

export type Statistics = Awaited<ReturnType<typeof readStatistics>>;
export type SourceStatistics = Awaited<ReturnType<typeof readSourceStatistics>>;
export type VideoStatistics = NonNullable<Awaited<ReturnType<typeof readVideoStatistics>>>;

/** Returns the fraction of the video that was watched on average (0 to 1), or undefined before the first view. */
export function averageWatched({ views, parts }: WatchedParts): number | undefined {
  if (views === 0) return undefined;
  return parts.reduce((sum, count) => sum + count, 0) / (views * WATCHED_PARTS);
}

/**
 * Returns, for each part, its range in percent, the number of views in which it was watched, and the fraction of all
 * views in which it was watched (0 to 1).
 */
export function dropOff({ views, parts }: WatchedParts) {
  return parts.map((count, part) => ({
    from: part * PART_PERCENT,
    to: (part + 1) * PART_PERCENT,
    views: count,
    share: views === 0 ? 0 : count / views,
  }));
}

const PART_PERCENT = 100 / WATCHED_PARTS;
