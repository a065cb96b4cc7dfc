import type { Database } from "better-sqlite3";

const INDEXES = ["video_search", "video_search_short"];
/**
 * The separator that follows the title and each tag, so that no match spans two of them. A search for a tag between two
 * separators finds only that exact tag.
 */
export const SEPARATOR = "\u001f";

/** A video's searchable text. */
interface SearchedTexts {
  title: string;
  tags: string | null;
}

/** Returns a connection's two search indexes. `baseline-catalogue.ts` describes their contents. */
export function searchIndexes(sqlite: Database) {
  const row = sqlite.prepare<unknown[], SearchedTexts>(
    "SELECT title, tags FROM videos WHERE sort_key = ?",
  );
  const [remove, removeShort] = INDEXES.map((name) =>
    sqlite.prepare(`DELETE FROM ${name} WHERE rowid = ?`),
  );
  const [replace, replaceShort] = INDEXES.map((name) =>
    sqlite.prepare(`REPLACE INTO ${name} (rowid, text) VALUES (?, ?)`),
  );
  return {
    /**
     * Updates the entries for the given sort keys to match the rows that have these keys now, and removes the entries
     * of unused keys. The rows are looked up by sort key, because a sort key may move from one row to another, and the
     * two rows may be projected in any order.
     *
     * @param read the rows that were already read, by their sort keys.
     */
    refresh(sortKeys: Iterable<string>, read: ReadonlyMap<string, SearchedTexts>): void {
      // Process them in ascending order, because FTS5 flushes its pending entries when a smaller rowid follows.
      for (const sortKey of BigInt64Array.from([...sortKeys], BigInt).sort()) {
        const video = read.get(String(sortKey)) ?? row.get(sortKey);
        if (video) {
          const text = [video.title, ...textsOf(video.tags)].map(entry).join("");
          replace?.run(sortKey, text);
          replaceShort?.run(sortKey, shortSubstrings(text));
        } else {
          remove?.run(sortKey);
          removeShort?.run(sortKey);
        }
      }
    },
  };
}

/** Returns the index entry for a title or tag. It is trimmed, as search queries are. */
function entry(text: string): string {
  return text.replaceAll(SEPARATOR, " ").trim() + SEPARATOR;
}

/** Returns the tags that are strings, because another tool may have written anything into the list. */
function textsOf(tags: string | null): string[] {
  const list: unknown = tags === null ? [] : JSON.parse(tags);
  return Array.isArray(list) ? list.filter((tag) => typeof tag === "string") : [];
}

/** Returns all distinct substrings of one or two characters, in no particular order, joined with separators. */
function shortSubstrings(text: string): string {
  const found = new Set<string>();
  let previous = "";
  for (const character of text) {
    if (character === SEPARATOR) {
      previous = "";
      continue;
    }
    found.add(character);
    if (previous) found.add(previous + character);
    previous = character;
  }
  return [...found].join(SEPARATOR);
}
