import { useSyncExternalStore } from "react";

/**
 * Everything that a visitor's browser stores for the site is one JSON document under one key: that of
 * `localStorage` lasts and is shared by all tabs, that of `sessionStorage` belongs to one tab. The visitor may
 * clear it, the browser may refuse to store it (private mode, full), and what is stored may be anything.
 * document-head.tsx reads the lasting document too.
 */
export const STORAGE_KEY = "visitor";
const VERSION = 1;

export type LastingField =
  | "saved"
  | "watched"
  | "resume"
  | "sound"
  | "speed"
  | "captions"
  | "audioTrack"
  | "evenLoudness"
  | "miniPlayer"
  | "discreetTitles"
  | "exitByShift";
type TabField = "upNext" | "surprises";
type Fields = Readonly<Record<string, unknown>>;

const lasting = storedDocument<LastingField>(() => localStorage);
/** What is stored until the tab is closed. */
export const tabStorage = /* @__PURE__ */ storedDocument<TabField>(() => sessionStorage);

/** Returns what is stored in a field, whatever that is; undefined for nothing. */
export const readStored = lasting.read;
export const writeStored = lasting.write;
/** Returns what lasts, by field. */
export function storedFields(): Fields {
  const { version, ...fields } = lasting.fields();
  return fields;
}

/** A field that components follow, whichever tab changes it; see {@link fieldOf}. */
export const storedValue = <T>(
  field: LastingField,
  parse: (stored: unknown) => T,
  outlivesRefusal?: boolean,
) => fieldOf(lasting, field, parse, outlivesRefusal);
export const tabValue = <T>(field: TabField, parse: (stored: unknown) => T) =>
  fieldOf(tabStorage, field, parse);

/** Whether anything lasts. */
export function useHasStored(): boolean {
  return useSyncExternalStore(
    lasting.subscribe,
    () => Object.values(storedFields()).some((value) => value !== undefined),
    () => false,
  );
}

/** Removes everything that this browser stores for visitors. */
export function clearBrowserStorage(): void {
  lasting.clear();
  tabStorage.clear();
}

function storedDocument<Field extends string>(storage: () => Storage) {
  const listeners = new Set<() => void>();
  let text: string | null = null;
  /** Parsed from `text`. */
  let stored: Fields = {};
  /** What the browser has refused to store; it is newer than `stored`, and lasts as long as the page. */
  let refused: Fields = {};

  function refresh(): void {
    let now: string | null = null;
    try {
      now = storage().getItem(STORAGE_KEY);
    } catch {
      // Storage is forbidden.
    }
    if (now !== text) stored = fieldsIn(now);
    text = now;
  }

  function fields(): Fields {
    refresh();
    return { ...stored, ...refused };
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
     * Changes one field of what is stored now, so that no tab loses what another has written.
     *
     * @param value undefined removes it.
     * @param outlivesRefusal whether a value that the browser refuses to store lasts as long as the page.
     * @returns false when the browser has refused.
     */
    write(field: Field, value: unknown, outlivesRefusal = true): boolean {
      const wanted = { ...fields(), [field]: value, version: VERSION };
      try {
        storage().setItem(STORAGE_KEY, JSON.stringify(wanted));
        refused = {};
        return true;
      } catch {
        if (outlivesRefusal) refused = { ...refused, [field]: value };
        return false;
      } finally {
        reread();
      }
    },
    clear(): void {
      refused = {};
      try {
        storage().removeItem(STORAGE_KEY);
      } catch {
        // Storage is forbidden, so nothing is stored.
      }
      reread();
    },
    subscribe(listener: () => void): () => void {
      if (listeners.size === 0) {
        window.addEventListener("storage", reread);
        // A page that comes back from the back/forward cache has heard of no change meanwhile.
        window.addEventListener("pageshow", reread);
      }
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * @param parse returns the value of what is stored, whatever that is; of `undefined` the value where nothing is
 *   stored, and in the server's HTML.
 */
function fieldOf<Field extends string, T>(
  { read, write, subscribe }: ReturnType<typeof storedDocument<Field>>,
  field: Field,
  parse: (stored: unknown) => T,
  outlivesRefusal?: boolean,
) {
  const initial = parse(undefined);
  let source: unknown;
  let value = initial;

  /** The value of this moment. The same text is the same value, so that nothing renders again. */
  function latest(): T {
    const stored = read(field);
    if (stored !== source && JSON.stringify(stored) !== JSON.stringify(source))
      value = parse(stored);
    source = stored;
    return value;
  }

  /**
   * Follows what `select` makes of it; renders again only when that is another value.
   *
   * @param whileHydrating for what may differ from the server's HTML: already then.
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
    /** @returns false when the browser has refused to store it. */
    write: (wanted: T | undefined): boolean => write(field, wanted, outlivesRefusal),
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
