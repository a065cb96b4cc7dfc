const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the time that is the given number of days from now, in UTC (ISO 8601). */
export function inDays(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString();
}
