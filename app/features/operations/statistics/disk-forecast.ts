import { formatQuantity } from "~/shared/format";

/** The disk usage on a day, in bytes. */
export interface DiskDay {
  /** YYYY-MM-DD, UTC */
  day: string;
  used: number;
  /** The number of bytes available to the site. */
  free: number;
}

/** The time when the disk will be full, based on the recent trend. */
export type DiskForecast =
  | { kind: "unknown"; daysNeeded: number }
  | { kind: "steady" }
  | { kind: "filling"; days: number };

const DAY_MS = 86_400_000;
/** The number of days used to compute the trend. Older records say little about the future. */
const TREND_DAYS = 30;
/** The minimum number of days between the first and the last record. */
const MIN_DAYS = 7;
/** The minimum number of records, because two records say nothing about the time in between. */
const MIN_RECORDS = 4;
/** If the disk takes longer than this to fill up, its usage counts as stable. */
const STABLE_DAYS = 5 * 365;

/**
 * Predicts when the disk will be full: the free space divided by the slope of the usage over the last 30 days (linear
 * least squares, so that a single day with temporary files has little influence).
 *
 * @param free the number of bytes that are currently free.
 * @param today YYYY-MM-DD, UTC. Later records are ignored, because they were written while the clock was wrong.
 */
export function forecastDisk(
  records: readonly DiskDay[],
  free: number,
  today: string,
): DiskForecast {
  const now = dayNumber(today);
  const points = records
    .map(({ day, used }) => ({ at: dayNumber(day) - now, used }))
    .filter(({ at, used }) => at <= 0 && at > -TREND_DAYS && Number.isFinite(used));
  const at = points.map((point) => point.at);
  const span = points.length > 0 ? Math.max(...at) - Math.min(...at) : 0;
  const daysNeeded = Math.max(MIN_DAYS - span, MIN_RECORDS - points.length);
  if (daysNeeded > 0) return { kind: "unknown", daysNeeded };
  const days = Math.max(0, free) / slope(points);
  return days >= 0 && days <= STABLE_DAYS ? { kind: "filling", days } : { kind: "steady" };
}

/** Returns the slope in bytes per day. */
function slope(points: readonly { at: number; used: number }[]): number {
  const mean = (value: (point: (typeof points)[number]) => number) =>
    points.reduce((sum, point) => sum + value(point), 0) / points.length;
  const meanAt = mean(({ at }) => at);
  const meanUsed = mean(({ used }) => used);
  const covariance = mean(({ at, used }) => (at - meanAt) * (used - meanUsed));
  return covariance / mean(({ at }) => (at - meanAt) ** 2);
}

function dayNumber(day: string): number {
  return Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
}

/** Returns a message such as `Full in about 40 days`. */
export function forecastMessage(forecast: DiskForecast): string {
  switch (forecast.kind) {
    case "unknown":
      return `Needs ${formatQuantity(forecast.daysNeeded, "more day")} of data`;
    case "steady":
      return "Stable";
    case "filling": {
      if (forecast.days < 1) return "Full in less than a day";
      return `Full in about ${formatQuantity(roundDays(forecast.days), "day")}`;
    }
  }
}

/**
 * Rounds to the precision of the forecast: to the nearest day below two weeks, to the nearest 5 days below 100 days,
 * and to the nearest 50 days above that.
 */
function roundDays(days: number): number {
  const step = days < 14 ? 1 : days < 100 ? 5 : 50;
  return Math.round(days / step) * step;
}
