import { useMemo } from "react";
import { parseDuration } from "~/shared/format";
import type { VideoCardData } from "~/shared/video-card";
import { createStore, useStore } from "~/ui/store";
import { storedValue } from "./browser-storage";

/**
 * The positions, in seconds, at which the visitor stopped watching videos. The newest is last. Stored only in this
 * browser.
 */
type WatchHistory = readonly (readonly [id: string, seconds: number])[];

const history = storedValue<WatchHistory>("resume", parseHistory, false);

function parseHistory(stored: unknown): WatchHistory {
  if (!Array.isArray(stored)) return [];
  return stored.filter(
    (point): point is [string, number] =>
      Array.isArray(point) && typeof point[0] === "string" && Number.isFinite(point[1]),
  );
}

/** The ids of the videos that were watched to the end, latest first. */
const finished = storedValue<readonly string[]>("watched", (stored) =>
  Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [],
);
const MAX_FINISHED = 500;

export function markAsFinished(id: string): void {
  finished.write([id, ...finished.read().filter((other) => other !== id)].slice(0, MAX_FINISHED));
}

/** Returns the ids of all videos that the visitor has started or watched to the end. */
export function watchedIds(): ReadonlySet<string> {
  return new Set([...finished.read(), ...history.read().map(([id]) => id)]);
}

export const watchHistory = history.read;
export const writeWatchHistory = history.write;
export const useFinished = finished.use;

/** Clears the history, including finished videos. */
export function clearWatchHistory(): void {
  history.write(undefined);
  finished.write(undefined);
}

/** Subscribes to the history, including changes made in other tabs. The history is empty in the server's HTML. */
export const useWatchHistory = history.use;

/** Removes videos that are no longer public. */
export function removeFromHistory(gone: readonly string[]): void {
  if (gone.length > 0) history.write(history.read().filter(([id]) => !gone.includes(id)));
}

/**
 * Returns how much of a video has been watched (0 to 1), or undefined if the video wasn't started or its duration is
 * unknown.
 */
export function useWatchedPart(id: string, duration: string): number | undefined {
  const seconds = history.useSelected((points) => points.find(([begun]) => begun === id)?.[1]);
  const whole = parseDuration(duration);
  return seconds && whole ? Math.min(1, seconds / whole) : undefined;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Returns a page's videos. If the visitor hides watched videos, the result excludes those watched in this browser.
 *
 * @param isOffered whether the page offers the option to hide watched videos.
 */
export function useUnwatched(videos: VideoCardData[], isOffered: boolean) {
  const hides = useHidesWatched() && isOffered;
  // The history is read again for each page, because the visitor may have watched a video in the meantime.
  const watched = useMemo(
    () => (hides && videos.length > 0 ? watchedIds() : NONE),
    [hides, videos],
  );
  const unwatched = videos.filter(({ id }) => !watched.has(id));
  return { unwatched, hidden: videos.length - unwatched.length };
}

/**
 * Whether lists hide watched videos. Kept only in memory. If it were stored, reloading the page would make the list
 * shrink and jump after its first paint.
 */
const hidesWatched = createStore(false);
export const setHidesWatched = hidesWatched.set;

/** Returns whether lists hide the videos watched in this browser. */
export const useHidesWatched = () => useStore(hidesWatched);
