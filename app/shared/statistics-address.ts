/** The URLs of the statistics pages, and the period that they cover. */

export const PERIODS_DAYS = [7, 30, 90] as const;
export type PeriodDays = (typeof PERIODS_DAYS)[number];
const DEFAULT_PERIOD_DAYS = 30;

export function readPeriod(parameters: URLSearchParams): PeriodDays {
  const requested = Number(parameters.get("days"));
  return PERIODS_DAYS.find((days) => days === requested) ?? DEFAULT_PERIOD_DAYS;
}

/** Returns the URL of the statistics page, omitting the default period. */
export function statisticsHref(days: PeriodDays): string {
  return withPeriod("/admin/statistics", days);
}

/** Returns the URL of the CSV file for a table on that page. */
export function statisticsFileHref(file: string, days: PeriodDays): string {
  return withPeriod(`/admin/statistics/${file}.csv`, days);
}

/** Returns the URL of a video's statistics. */
export function videoStatisticsHref(id: string, days: PeriodDays = DEFAULT_PERIOD_DAYS): string {
  return withPeriod(`/admin/videos/${encodeURIComponent(id)}/statistics`, days);
}

function withPeriod(path: string, days: PeriodDays): string {
  return days === DEFAULT_PERIOD_DAYS ? path : `${path}?days=${days}`;
}
