import type { Database } from "better-sqlite3";

const INDEXES = ["video_search", "video_search_short"];
/**
 * After the title and after each tag, so that nothing is found across two of them. With it at both
 * ends, the text of a whole tag is found and no longer one.
 */
export const SEPARATOR = "\u001f";

/** The two search indexes of a connection; see `baseline-catalogue.ts` for what they hold. */
export function searchIndexes(sqlite: Database) {
  const row = sqlite.prepare("SELECT title, tags FROM videos WHERE sort_key = CAST(? AS INTEGER)");
  const [remove, removeShort] = INDEXES.map((name) =>
    sqlite.prepare(`DELETE FROM ${name} WHERE rowid = CAST(? AS INTEGER)`),
  );
  const [add, addShort] = INDEXES.map((name) =>
    sqlite.prepare(`INSERT INTO ${name} (rowid, text) VALUES (CAST(? AS INTEGER), ?)`),
  );
  return {
    /**
     * Makes the entries of a sort key those of the row that has it now, if any. A sort key may have
     * passed from one row to another, and both be looked at in either order.
     */
    refresh(sortKey: string): void {
      remove?.run(sortKey);
      removeShort?.run(sortKey);
      const video = row.get(sortKey) as { title: string; tags: string | null } | undefined;
      if (!video) return;
      const text = [video.title, ...textsOf(video.tags)].map(entry).join("");
      add?.run(sortKey, text);
      addShort?.run(sortKey, shortSubstrings(text).join(SEPARATOR));
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

/** Every different substring of one and two characters, in no order. */
function shortSubstrings(text: string): string[] {
  const found = new Set<string>();
  const characters = [...text];
  characters.forEach((character, index) => {
    found.add(character);
    found.add(character + (characters[index + 1] ?? ""));
  });
  return [...found].filter((substring) => !substring.includes(SEPARATOR));
}
