import { type PersistentField, readStored, writeStored } from "./browser-storage";

/** The `localStorage` key under which each field was stored before all fields were moved to one document. */
const FORMER_KEYS: Record<PersistentField, string> = {
  saved: "saved-videos",
  watched: "watched-videos",
  resume: "player:resume",
  volume: "player:sound",
  speed: "player:speed",
  captions: "player:captions",
  audioTrack: "player:sound-track",
  evenLoudness: "player:even-loudness",
  miniPlayer: "player:mini",
  discreetTitles: "discreet-titles",
  exitByShift: "exit-by-shift",
};
const FIELDS = Object.entries(FORMER_KEYS) as [PersistentField, string][];

/**
 * Moves the values stored under the former keys into the document. Runs on every page load, because a tab that was
 * opened before an update may still write to these keys. A key is removed only after its value has been stored.
 */
export function migrateFormerKeys(): void {
  for (const [field, key] of FIELDS) {
    try {
      const text = localStorage.getItem(key);
      if (text === null) continue;
      const stored = readStored(field);
      const wanted = union(stored, parsed(text)) ?? stored ?? parsed(text);
      if (writeStored(field, wanted)) localStorage.removeItem(key);
    } catch {
      // Storage is blocked.
    }
  }
}

/** Imports fields from another browser. Lists are merged; all other imported values replace the stored ones. */
export function addStoredFields(fields: Readonly<Record<string, unknown>>): void {
  for (const [field] of FIELDS) {
    const value = fields[field];
    if (value !== undefined) writeStored(field, union(readStored(field), value) ?? value);
  }
}

/** Merges two lists of ids, or of arrays that start with an id. Returns undefined if either value isn't a list. */
function union(list: unknown, more: unknown): unknown[] | undefined {
  if (!Array.isArray(list) || !Array.isArray(more)) return undefined;
  const idOf = (entry: unknown) => String(Array.isArray(entry) ? entry[0] : entry);
  const ids = new Set(list.map(idOf));
  return [...list, ...more.filter((entry) => !ids.has(idOf(entry)))];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
