import { useSyncExternalStore } from "react";

/**
 * A value that this browser stores under a key, in this browser alone: any tab may change it, the
 * visitor may clear it, and what is stored may be anything.
 *
 * @param parse gives the value of what is stored, whatever that is; of `undefined` the value that
 *   stands where nothing is stored, and in the server's HTML.
 * @param options.outlivesRefusal the value lasts as long as the page where the browser stores nothing
 *   (private mode, full); otherwise it is as if it had never been written.
 */
export function storedValue<T>(
  key: string,
  parse: (stored: unknown) => T,
  { outlivesRefusal = true }: { outlivesRefusal?: boolean } = {},
) {
  const initial = parse(undefined);
  const listeners = new Set<() => void>();
  let current = initial;
  /** What `current` was parsed from. */
  let text: string | null = null;
  /** The browser refused the last write, so that `current` is newer than what is stored. */
  let isOnlyHere = false;

  function refresh(): void {
    if (isOnlyHere) return;
    let stored: string | null;
    try {
      stored = localStorage.getItem(key);
    } catch {
      stored = null;
    }
    if (stored === text) return;
    text = stored;
    current = stored === null ? initial : parse(parsed(stored));
  }

  /** @returns false when the browser has refused to store it. */
  function write(value: T): boolean {
    const wanted = JSON.stringify(value);
    try {
      localStorage.setItem(key, wanted);
      isOnlyHere = false;
    } catch {
      isOnlyHere = outlivesRefusal;
    }
    if (isOnlyHere) current = value;
    else refresh();
    announce();
    return text === wanted && !isOnlyHere;
  }

  function forget(): void {
    try {
      localStorage.removeItem(key);
    } catch {
      // Nothing was stored.
    }
    isOnlyHere = false;
    text = null;
    current = initial;
    announce();
  }

  function announce(): void {
    for (const listener of listeners) listener();
  }

  function onStorage(event: StorageEvent): void {
    if (event.key === key || event.key === null) reread();
  }

  /** A page that comes back from the back/forward cache has heard of no change meanwhile. */
  function onPageShow({ persisted }: PageTransitionEvent): void {
    if (persisted) reread();
  }

  function reread(): void {
    isOnlyHere = false;
    refresh();
    announce();
  }

  function subscribe(listener: () => void): () => void {
    if (listeners.size === 0) {
      window.addEventListener("storage", onStorage);
      window.addEventListener("pageshow", onPageShow);
      refresh();
    }
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      window.removeEventListener("storage", onStorage);
      window.removeEventListener("pageshow", onPageShow);
    };
  }

  /** The value of this moment; another tab may have written it. */
  function read(): T {
    refresh();
    return current;
  }

  function snapshot(): T {
    return listeners.size === 0 ? read() : current;
  }

  return {
    read,
    write,
    forget,
    /** Follows the value, whichever tab changes it. */
    use: (): T => useSyncExternalStore(subscribe, snapshot, () => initial),
    /** As `use`, and already while hydrating: for what may differ from the server's HTML. */
    useWhileHydrating: (): T =>
      useSyncExternalStore(
        subscribe,
        snapshot,
        typeof document === "undefined" ? () => initial : snapshot,
      ),
    /** Follows what `select` makes of it; renders again only when that is another value. */
    useSelected: <S extends string | number | boolean | undefined>(select: (value: T) => S): S =>
      useSyncExternalStore(
        subscribe,
        () => select(snapshot()),
        () => select(initial),
      ),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
