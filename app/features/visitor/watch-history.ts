import { useMemo } from "react";
import { parseDuration } from "~/shared/format";
import type { VideoCardData } from "~/shared/video-card";
import { createStore, useStore } from "~/ui/store";
import { storedValue } from "./browser-storage";

/** Where each video was left, in seconds, the newest last: in this browser and nowhere else. */
type WatchHistory = readonly (readonly [id: string, seconds: number])[];

const history = storedValue<WatchHistory>("resume", parseHistory, false);

function parseHistory(stored: unknown): WatchHistory {
  if (!Array.isArray(stored)) return [];
  return stored.filter(
    (point): point is [string, number] =>
      Array.isArray(point) && typeof point[0] === "string" && Number.isFinite(point[1]),
  );
}

/** The ids of videos that were watched to their end, the latest first. */
const finished = storedValue<readonly string[]>("watched", (stored) =>
  Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [],
);
const MAX_FINISHED = 500;

export function rememberFinished(id: string): void {
  finished.write([id, ...finished.read().filter((other) => other !== id)].slice(0, MAX_FINISHED));
}

/** What was begun or watched to its end. */
export function watchedIds(): ReadonlySet<string> {
  return new Set([...finished.read(), ...history.read().map(([id]) => id)]);
}

export const watchHistory = history.read;
export const writeWatchHistory = history.write;
export const useFinished = finished.use;

/** All of it, what was watched to its end too. */
export function forgetWatchHistory(): void {
  history.write(undefined);
  finished.write(undefined);
}

/** Follows the history, whichever tab changes it; empty in the server's HTML. */
export const useWatchHistory = history.use;

/** Takes videos out that are public no more. */
export function forgetWatched(gone: readonly string[]): void {
  if (gone.length > 0) history.write(history.read().filter(([id]) => !gone.includes(id)));
}

/** How much of a video was watched, 0 to 1; undefined when it was not begun or its length is unknown. */
export function useWatchedPart(id: string, duration: string): number | undefined {
  const seconds = history.useSelected((points) => points.find(([begun]) => begun === id)?.[1]);
  const whole = parseDuration(duration);
  return seconds && whole ? Math.min(1, seconds / whole) : undefined;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * The videos of a page without those that this browser has watched, where the visitor wants that.
 *
 * @param isOffered whether the page offers that choice.
 */
export function useUnwatched(videos: VideoCardData[], isOffered: boolean) {
  const hides = useHidesWatched() && isOffered;
  // Of each page anew: the visitor may have watched one meanwhile.
  const watched = useMemo(
    () => (hides && videos.length > 0 ? watchedIds() : NONE),
    [hides, videos],
  );
  const unwatched = videos.filter(({ id }) => !watched.has(id));
  return { unwatched, hidden: videos.length - unwatched.length };
}

/** As long as the page is not loaded anew: lists that shrink after their first paint would jump. */
const hidesWatched = createStore(false);
export const hideWatched = hidesWatched.set;

/** Whether lists leave out what this browser has watched. */
export const useHidesWatched = () => useStore(hidesWatched);
