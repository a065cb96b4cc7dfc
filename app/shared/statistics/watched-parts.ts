/** Parts that a video is divided into, for what is counted of how far it is watched: 5 % each. */
export const WATCHED_PARTS = 20;

/** A view as the player reports it: a digit for each part, 1 for what was watched. */
export const REPORT = /^[01]{20}$/;

/** Played from one moment to another, in seconds of the video. */
export type Span = readonly [start: number, end: number];

/** The same seconds as spans that follow each other without touching. */
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
 * Which parts of a video were watched: those of which at least half was played, so that somebody who
 * looks for a moment has not watched every part that was passed.
 *
 * @param duration of the video, in seconds.
 * @returns the report, such as `11100000000000000000`; undefined where nothing was played, or nobody
 *   knows how long the video is.
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
