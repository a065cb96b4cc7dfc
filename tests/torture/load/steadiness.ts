/** A figure over time, as a straight line. */
export interface Trend {
  perHour: number;
  /** Three standard errors of it: what it may be off by. */
  offBy: number;
}

const HOUR_MS = 3_600_000;

/**
 * Least squares through the medians of readings.
 *
 * @param everyMs between two readings.
 * @param together so many are one point, by their median: what happens once is no trend.
 */
export function trendOf(readings: readonly number[], everyMs: number, together = 15): Trend {
  const points = [];
  for (let at = 0; at + together <= readings.length; at += together)
    points.push(medianOf(readings.slice(at, at + together)));
  const count = points.length;
  // A line through two points is off by nothing.
  if (count < 3) return { perHour: 0, offBy: Number.POSITIVE_INFINITY };
  const middle = (count - 1) / 2;
  const mean = points.reduce((sum, value) => sum + value, 0) / count;
  const spread = points.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  const slope =
    points.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0) / spread;
  const rest = points.reduce(
    (sum, value, index) => sum + (value - mean - slope * (index - middle)) ** 2,
    0,
  );
  const error = Math.sqrt(rest / (count - 2) / spread);
  const pointsOfAnHour = HOUR_MS / (everyMs * together);
  return { perHour: slope * pointsOfAnHour, offBy: 3 * error * pointsOfAnHour };
}

/** Whether it surely rises faster. */
export function rises({ perHour, offBy }: Trend, most: number): boolean {
  return perHour - offBy > most;
}

export function medianOf(values: readonly number[]): number {
  return percentileOf(values, 0.5);
}

/** @param share 0 to 1. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
