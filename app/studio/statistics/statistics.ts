import type { WatchedParts } from "~/catalogue/watched-parts.server";
import type { SourceCounts } from "~/media/jobs/outdated-streams.server";
import { WATCHED_PARTS } from "~/shared/statistics/watched-parts";
import type { VideoStatus } from "~db/schema";

/** The statistics page: what its address may ask for, and what it shows. */

export const PERIODS_DAYS = [7, 30, 90] as const;
export type PeriodDays = (typeof PERIODS_DAYS)[number];
const DEFAULT_PERIOD_DAYS = 30;

export function readPeriod(parameters: URLSearchParams): PeriodDays {
  const asked = Number(parameters.get("days"));
  return PERIODS_DAYS.find((days) => days === asked) ?? DEFAULT_PERIOD_DAYS;
}

/** The address of the page; a period at its default is left out. */
export function statisticsHref(days: PeriodDays): string {
  return withPeriod("/admin/statistics", days);
}

/** The address of a table of that page, as CSV. */
export function statisticsFileHref(file: string, days: PeriodDays): string {
  return withPeriod(`/admin/statistics/${file}.csv`, days);
}

/** The same of one video. */
export function videoStatisticsHref(id: string, days: PeriodDays = DEFAULT_PERIOD_DAYS): string {
  return withPeriod(`/admin/videos/${encodeURIComponent(id)}/statistics`, days);
}

function withPeriod(path: string, days: PeriodDays): string {
  return days === DEFAULT_PERIOD_DAYS ? path : `${path}?days=${days}`;
}

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
