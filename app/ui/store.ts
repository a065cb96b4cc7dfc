import { useSyncExternalStore } from "react";

/**
 * State outside of React, for values that components share, or that change too often to rerender the page each time.
 */
export interface Store<T> {
  get(): T;
  set(next: T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Pick<Store<T>, "get" | "subscribe">): T {
  return useSyncExternalStore(store.subscribe, store.get, store.get);
}

/** Subscribes to one property of a store's value, without rerendering when other properties change. */
export function useStored<T, Key extends keyof T>(
  store: Pick<Store<T>, "get" | "subscribe">,
  key: Key,
): T[Key] {
  const get = () => store.get()[key];
  return useSyncExternalStore(store.subscribe, get, get);
}
