/** A linear trend. */
export interface Trend {
  perHour: number;
  /** The margin of error, which is three standard errors of `perHour`. */
  margin: number;
}

const HOUR_MS = 3_600_000;

/**
 * Fits a line to the medians of groups of readings by least squares. Medians are used so that outliers don't cause a
 * trend.
 * @param intervalMs the time between two readings.
 * @param groupSize the number of readings per group.
 */
export function trendOf(readings: readonly number[], intervalMs: number, groupSize = 15): Trend {
  const points = [];
  for (let at = 0; at + groupSize <= readings.length; at += groupSize)
    points.push(medianOf(readings.slice(at, at + groupSize)));
  const count = points.length;
  // A line through two points always fits perfectly, so its error is unknown.
  if (count < 3) return { perHour: 0, margin: Number.POSITIVE_INFINITY };
  const middle = (count - 1) / 2;
  const mean = points.reduce((sum, value) => sum + value, 0) / count;
  const spread = points.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  const slope =
    points.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0) / spread;
  const residuals = points.reduce(
    (sum, value, index) => sum + (value - mean - slope * (index - middle)) ** 2,
    0,
  );
  const error = Math.sqrt(residuals / (count - 2) / spread);
  const pointsPerHour = HOUR_MS / (intervalMs * groupSize);
  return { perHour: slope * pointsPerHour, margin: 3 * error * pointsPerHour };
}

/** Returns whether a value rises faster than `maxPerHour`, even after the margin of error is subtracted. */
export function isRising({ perHour, margin }: Trend, maxPerHour: number): boolean {
  return perHour - margin > maxPerHour;
}

export function medianOf(values: readonly number[]): number {
  return percentileOf(values, 0.5);
}

/**
 * Returns a percentile of values.
 * @param share the fraction of the values that are below it, from 0 to 1.
 */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
