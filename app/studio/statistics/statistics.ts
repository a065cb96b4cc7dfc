import type { SourceCounts } from "~/media/jobs/outdated-streams.server";

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
  return days === DEFAULT_PERIOD_DAYS ? "/admin/statistics" : `/admin/statistics?days=${days}`;
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
  /** KEEP_SOURCES. */
  keep: "always" | "until-converted" | "never";
}
