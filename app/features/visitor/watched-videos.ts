import { useSyncExternalStore } from "react";

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
