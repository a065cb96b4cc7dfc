import { formatQuantity } from "~/shared/format";

/** What the disk held on a day; bytes. */
export interface DiskDay {
  /** YYYY-MM-DD, UTC */
  day: string;
  used: number;
  /** What the site may still use. */
  free: number;
}

/** When the disk will be full, at the pace of the last days. */
export type DiskForecast =
  | { kind: "unknown"; daysNeeded: number }
  | { kind: "steady" }
  | { kind: "filling"; days: number };

const DAY_MS = 86_400_000;
/** The pace is that of these days; what was longer ago says little about the next. */
const PACE_DAYS = 30;
/** A forecast needs as many from the first record to the last, */
const MIN_DAYS = 7;
/** and as many records: two of them say nothing about what is between. */
const MIN_RECORDS = 4;
/** A pace that fills the disk later than that is none. */
const FAR_DAYS = 5 * 365;

/**
 * When the disk will be full: what is free now, divided by the slope of what was used in the last 30
 * days (least squares over days, so that one of them, with a conversion's temporary files, weighs little).
 *
 * @param free bytes, now.
 * @param today YYYY-MM-DD, UTC. Records of later days are left out: a clock was wrong.
 */
export function forecastDisk(
  records: readonly DiskDay[],
  free: number,
  today: string,
): DiskForecast {
  const now = dayNumber(today);
  const points = records
    .map(({ day, used }) => ({ at: dayNumber(day) - now, used }))
    .filter(({ at, used }) => at <= 0 && at > -PACE_DAYS && Number.isFinite(used));
  const at = points.map((point) => point.at);
  const span = points.length > 0 ? Math.max(...at) - Math.min(...at) : 0;
  const daysNeeded = Math.max(MIN_DAYS - span, MIN_RECORDS - points.length);
  if (daysNeeded > 0) return { kind: "unknown", daysNeeded };
  const days = Math.max(0, free) / slope(points);
  return days >= 0 && days <= FAR_DAYS ? { kind: "filling", days } : { kind: "steady" };
}

/** Bytes a day. */
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

/** As it is read: `Full in about 40 days`. */
export function forecastMessage(forecast: DiskForecast): string {
  switch (forecast.kind) {
    case "unknown":
      return `Not known yet: needs ${formatQuantity(forecast.daysNeeded, "more day")}`;
    case "steady":
      return "Not filling up";
    case "filling": {
      if (forecast.days < 1) return "Full in less than a day";
      return `Full in about ${formatQuantity(rounded(forecast.days), "day")}`;
    }
  }
}

/** No more exact than it is known: to the day below two weeks, to five days below 100, else to 50. */
function rounded(days: number): number {
  const step = days < 14 ? 1 : days < 100 ? 5 : 50;
  return Math.round(days / step) * step;
}
