import { useSyncExternalStore } from "react";

/** The ids of videos that were watched to their end, the latest first: in this browser and nowhere else. */
const FINISHED_KEY = "watched-videos";
/** Where each video was left, which the player writes: `[id, seconds]`. */
const BEGUN_KEY = "player:resume";
const MOST = 500;

export function rememberFinished(id: string): void {
  const others = finishedIds().filter((other) => other !== id);
  try {
    localStorage.setItem(FINISHED_KEY, JSON.stringify([id, ...others].slice(0, MOST)));
  } catch {
    // Storage is full or forbidden: the video counts as not watched.
  }
}

export function forgetFinished(): void {
  try {
    localStorage.removeItem(FINISHED_KEY);
  } catch {
    // Nothing is stored.
  }
}

/** What was begun or watched to its end. */
export function watchedIds(): ReadonlySet<string> {
  const begun = storedList(BEGUN_KEY).map((point) => (Array.isArray(point) ? point[0] : undefined));
  return new Set([...finishedIds(), ...begun.filter(isText)]);
}

function finishedIds(): string[] {
  return storedList(FINISHED_KEY).filter(isText);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Anything may be stored there, and a browser may refuse to say. */
function storedList(key: string): unknown[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}

let hidesWatched = false;
const listeners = new Set<() => void>();

/** As long as the page is not loaded anew: lists that shrink after their first paint would jump. */
export function hideWatched(hides: boolean): void {
  hidesWatched = hides;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether lists leave out what this browser has watched. */
export function useHidesWatched(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => hidesWatched,
    () => false,
  );
}
