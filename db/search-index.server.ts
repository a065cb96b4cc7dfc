import type { Database } from "better-sqlite3";

const INDEXES = ["video_search", "video_search_short"];
/**
 * After the title and after each tag, so that nothing is found across two of them. With it at both
 * ends, the text of a whole tag is found and no longer one.
 */
export const SEPARATOR = "\u001f";

/** What is searched of a video. */
interface SearchedTexts {
  title: string;
  tags: string | null;
}

/** The two search indexes of a connection; see `baseline-catalogue.ts` for what they hold. */
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
     * Makes the entries of sort keys those of the rows that have them now, if any. A sort key may have
     * passed from one row to another, and both be projected in either order.
     *
     * @param read rows that have been read already, by their sort keys.
     */
    refresh(sortKeys: Iterable<string>, read: ReadonlyMap<string, SearchedTexts>): void {
      // In their order: FTS5 writes out what it has collected when a smaller rowid comes.
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

/** A title or tag as it is searched: without the spaces around it, which no search text has. */
function entry(text: string): string {
  return text.replaceAll(SEPARATOR, " ").trim() + SEPARATOR;
}

/** The tags that are texts; a tool may have written anything into the list. */
function textsOf(tags: string | null): string[] {
  const list: unknown = tags === null ? [] : JSON.parse(tags);
  return Array.isArray(list) ? list.filter((tag) => typeof tag === "string") : [];
}

/** Every different substring of one and two characters, in no order, with separators between. */
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
