const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the time this many days from now, in ISO 8601 UTC. */
export function inDays(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString();
}
