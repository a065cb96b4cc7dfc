import { useSyncExternalStore } from "react";

/**
 * The site stores everything in a visitor's browser as a JSON document under a single key. `localStorage` contains the
 * persistent data that all tabs share, and `sessionStorage` contains the data of one tab. The visitor can clear the
 * document, and the browser can refuse to store it (private mode, quota). The stored text can be anything, so it must
 * be validated. document-head.tsx also reads the persistent document.
 */
export const STORAGE_KEY = "visitor";
const VERSION = 1;

export type PersistentField =
  | "saved"
  | "watched"
  | "resume"
  | "volume"
  | "speed"
  | "captions"
  | "audioTrack"
  | "evenLoudness"
  | "miniPlayer"
  | "discreetTitles"
  | "exitByShift";
type TabField = "upNext" | "surprises";
type Fields = Readonly<Record<string, unknown>>;

const persistent = storedDocument<PersistentField>(() => localStorage);
/** The data that is stored until the tab is closed. */
export const tabStorage = /* @__PURE__ */ storedDocument<TabField>(() => sessionStorage);

/** Returns a field's value without validating it, or undefined if the field isn't set. */
export const readStored = persistent.read;
export const writeStored = persistent.write;
/** Returns all persistent fields. */
export function storedFields(): Fields {
  const { version, ...fields } = persistent.fields();
  return fields;
}

/**
 * Returns a field that components can subscribe to. They are also notified of changes in other tabs. See {@link
 * fieldOf}.
 */
export const storedValue = <T>(
  field: PersistentField,
  parse: (stored: unknown) => T,
  keepInMemory?: boolean,
) => fieldOf(persistent, field, parse, keepInMemory);
export const tabValue = <T>(field: TabField, parse: (stored: unknown) => T) =>
  fieldOf(tabStorage, field, parse);

/** Returns whether any persistent field is set. */
export function useHasStored(): boolean {
  return useSyncExternalStore(
    persistent.subscribe,
    () => Object.values(storedFields()).some((value) => value !== undefined),
    () => false,
  );
}

/** Removes all visitor data that the site has stored in this browser. */
export function clearBrowserStorage(): void {
  persistent.clear();
  tabStorage.clear();
}

function storedDocument<Field extends string>(storage: () => Storage) {
  const listeners = new Set<() => void>();
  let text: string | null = null;
  /** The document parsed from `text`. */
  let stored: Fields = {};
  /**
   * The values that the browser has refused to store. They override the values in `stored` and are kept until the page
   * is closed.
   */
  let inMemory: Fields = {};

  function refresh(): void {
    let now: string | null = null;
    try {
      now = storage().getItem(STORAGE_KEY);
    } catch {
      // Storage is blocked.
    }
    if (now !== text) stored = fieldsIn(now);
    text = now;
  }

  function fields(): Fields {
    refresh();
    return { ...stored, ...inMemory };
  }

  function reread(): void {
    refresh();
    for (const listener of listeners) listener();
  }

  const read = (field: Field): unknown => fields()[field];

  return {
    read,
    fields,
    /**
     * Changes a single field in the current document, so that one tab doesn't overwrite what another tab has written.
     *
     * @param value undefined removes the field.
     * @param keepInMemory whether to keep a value until the page is closed if the browser refuses to store it.
     * @returns false if the browser refused to store the value.
     */
    write(field: Field, value: unknown, keepInMemory = true): boolean {
      const wanted = { ...fields(), [field]: value, version: VERSION };
      try {
        storage().setItem(STORAGE_KEY, JSON.stringify(wanted));
        inMemory = {};
        return true;
      } catch {
        if (keepInMemory) inMemory = { ...inMemory, [field]: value };
        return false;
      } finally {
        reread();
      }
    },
    clear(): void {
      inMemory = {};
      try {
        storage().removeItem(STORAGE_KEY);
      } catch {
        // Storage is blocked, so nothing is stored.
      }
      reread();
    },
    subscribe(listener: () => void): () => void {
      if (listeners.size === 0) {
        window.addEventListener("storage", reread);
        // A page that is restored from the back/forward cache has missed all changes made while it was in the cache.
        window.addEventListener("pageshow", reread);
      }
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * Returns a field with functions to read, write and subscribe to it.
 *
 * @param parse validates the stored value. If the value is undefined, returns the default, which the server's HTML also
 * uses.
 */
function fieldOf<Field extends string, T>(
  { read, write, subscribe }: ReturnType<typeof storedDocument<Field>>,
  field: Field,
  parse: (stored: unknown) => T,
  keepInMemory?: boolean,
) {
  const initial = parse(undefined);
  let source: unknown;
  let value = initial;

  /**
   * Returns the current value. As long as the stored JSON doesn't change, always returns the same object, which avoids
   * unnecessary renders.
   */
  function latest(): T {
    const stored = read(field);
    if (stored !== source && JSON.stringify(stored) !== JSON.stringify(source))
      value = parse(stored);
    source = stored;
    return value;
  }

  /**
   * Subscribes to a part of the value that `select` returns, and renders again only when that part changes.
   *
   * @param whileHydrating whether to use the stored value even during hydration, when it may differ from the server's
   * HTML.
   */
  function useSelected<S>(select: (value: T) => S, whileHydrating = false): S {
    const current = () => select(latest());
    return useSyncExternalStore(
      subscribe,
      current,
      whileHydrating && typeof document === "object" ? current : () => select(initial),
    );
  }

  return {
    read: latest,
    /** Returns false if the browser refused to store the value. */
    write: (wanted: T | undefined): boolean => write(field, wanted, keepInMemory),
    use: (): T => useSelected((value) => value),
    useSelected,
  };
}

function fieldsIn(text: string | null): Fields {
  try {
    const value = JSON.parse(text ?? "null");
    return typeof value === "object" && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
