import type { SourceCounts } from "~/features/processing/queue/outdated-streams.server";
import type { WatchedParts } from "~/features/watch/watched-parts.server";
import { WATCHED_PARTS } from "~/shared/statistics/watched-parts";
import type { VideoStatus } from "~db/schema";

/** The statistics page: what its address may ask for, and what it shows. */

export interface Statistics {
  /** Every day of the period, the oldest first; YYYY-MM-DD, UTC. */
  days: { day: string; views: number }[];
  /** The most viewed of the period, with their views in it. */
  videos: { id: string; title: string; views: number }[];
  /** Disk usage of each category's files. */
  storage: { category: string; videos: number; bytes: number }[];
}

/** Sources and streams, see `readSourceCounts`. */
export interface SourceFigures extends Omit<SourceCounts, "unrecorded"> {
  /** The whole films of videos that are cut. */
  cut: { videos: number; bytes: number };
  /** KEEP_SOURCES. */
  keep: "always" | "until-converted" | "never";
}

/** What is known of one video. */
export interface VideoStatistics {
  video: { id: string; title: string; status: VideoStatus; held: 0 | 1; views: number };
  /** Every day of the period, the oldest first; YYYY-MM-DD, UTC. */
  days: { day: string; views: number }[];
  watched: WatchedParts;
}

/** The share of the film that a view has watched on average, 0 to 1; undefined before the first. */
export function averageWatched({ views, parts }: WatchedParts): number | undefined {
  if (views === 0) return undefined;
  return parts.reduce((sum, count) => sum + count, 0) / (views * WATCHED_PARTS);
}

/** Of each part where it begins and ends, in percent, the views that watched it and their share, 0 to 1. */
export function dropOff({ views, parts }: WatchedParts) {
  return parts.map((count, part) => ({
    from: part * PART_PERCENT,
    to: (part + 1) * PART_PERCENT,
    views: count,
    share: views === 0 ? 0 : count / views,
  }));
}

const PART_PERCENT = 100 / WATCHED_PARTS;
