/** The number of equal parts into which the watch statistics divide a video. Each part is 5% of the video. */
export const WATCHED_PARTS = 20;

/** Matches the player's report of a view, which has one digit per part: 1 if the part was watched, 0 if it wasn't. */
export const REPORT = /^[01]{20}$/;

/** A span of the video that was played, in seconds. */
export type Span = readonly [start: number, end: number];

/** Merges spans that overlap or touch, and returns the result in ascending order. */
export function union(spans: readonly Span[]): Span[] {
  const merged: [number, number][] = [];
  for (const [start, end] of spans.filter(([a, b]) => a < b).sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/**
 * Returns which parts of a video were watched. A part counts if at least half of it was played, so that seeking through
 * the video doesn't count every part.
 *
 * @param duration the video's duration in seconds.
 * @returns the report, such as `11100000000000000000`; undefined if nothing was played or the duration is unknown.
 */
export function watchedReport(spans: readonly Span[], duration: number): string | undefined {
  const played = union(spans);
  if (played.length === 0 || !(duration > 0 && Number.isFinite(duration))) return undefined;
  const length = duration / WATCHED_PARTS;
  const isWatched = (_: unknown, part: number) => {
    const [from, to] = [part * length, (part + 1) * length];
    const seconds = played.reduce(
      (sum, [start, end]) => sum + Math.max(0, Math.min(end, to) - Math.max(start, from)),
      0,
    );
    return seconds >= length / 2 ? "1" : "0";
  };
  return Array.from({ length: WATCHED_PARTS }, isWatched).join("");
}
