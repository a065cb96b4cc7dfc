import type { Database } from "better-sqlite3";
import { toCategoryId } from "~/shared/categories";
import { fold } from "~/shared/fold";
import { readTags } from "./tags";

/**
 * The separator that follows the title and each tag, so that no match spans two of them. A search for a tag between two
 * separators finds only that exact tag.
 */
export const SEPARATOR = "\u001f";

/**
 * Returns the index for a search string. Strings of one or two characters are tokens of one index; longer strings are
 * looked up as trigrams in the other.
 */
export function indexOf(text: string): string {
  return [...text].length < 3 ? "video_search_short" : "video_search";
}

/** Returns an expression that matches any of the texts. */
export function phrase(texts: readonly string[]): string {
  return texts.map((text) => `"${text.replaceAll('"', '""')}"`).join(" OR ");
}

/** The columns of `videos` that are searched, and the titles of the video's public series. */
export interface SearchedTexts {
  title: string;
  tags: string | null;
  category: string;
  description: string;
  series: string | null;
}

/** An SQL expression for the titles of a video's public series. */
export const SERIES_TITLES = `(
  SELECT group_concat(series.title, char(31)) FROM series_videos
  CROSS JOIN series ON series.id = series_videos.series_id
  WHERE series_videos.video_id = videos.id AND visibility = 'public' AND deleted_at IS NULL)`;

/**
 * Returns a connection's three search indexes. `video_search` and `video_search_short` find text inside titles and tags
 * (`baseline-catalogue.ts`), `video_words` finds words (`1001-search-words.ts`). All of them contain folded text.
 */
export function searchIndexes(sqlite: Database) {
  const row = sqlite.prepare<unknown[], SearchedTexts>(`
    SELECT title, tags, category, description, ${SERIES_TITLES} AS series
    FROM videos WHERE sort_key = ?`);
  const removals = ["video_search", "video_search_short", "video_words"].map((name) =>
    sqlite.prepare(`DELETE FROM ${name} WHERE rowid = ?`),
  );
  const replace = sqlite.prepare("REPLACE INTO video_search (rowid, text) VALUES (?, ?)");
  const replaceShort = sqlite.prepare(
    "REPLACE INTO video_search_short (rowid, text) VALUES (?, ?)",
  );
  const replaceWords = sqlite.prepare(`
    REPLACE INTO video_words (rowid, title, tags, category, series, description)
    VALUES (?, ?, ?, ?, ?, ?)`);
  return {
    /**
     * Updates the entries for the given sort keys to match the rows that currently have these keys, and removes the
     * entries whose keys no row has. Rows are looked up by sort key, because a key may move from one row to another,
     * and the two rows may be projected in any order.
     *
     * @param read the rows that were already read, by their sort keys.
     */
    refresh(sortKeys: Iterable<string>, read: ReadonlyMap<string, SearchedTexts>): void {
      // Process them in ascending order, because FTS5 flushes its pending entries when a smaller rowid follows.
      for (const sortKey of BigInt64Array.from([...sortKeys], BigInt).sort()) {
        const video = read.get(String(sortKey)) ?? row.get(sortKey);
        if (video) {
          const title = fold(video.title);
          const tags = readTags(video.tags).map(fold);
          const text = [title, ...tags].map(entry).join("");
          replace.run(sortKey, text);
          replaceShort.run(sortKey, shortSubstrings(text));
          const category = fold(toCategoryId(video.category) ?? video.category);
          const series = fold(video.series ?? "");
          const description = fold(video.description);
          replaceWords.run(sortKey, title, tags.join(SEPARATOR), category, series, description);
        } else {
          for (const remove of removals) remove.run(sortKey);
        }
      }
    },
  };
}

/** Returns the index entry for a title or tag. Search queries are trimmed too. */
function entry(text: string): string {
  return text.replaceAll(SEPARATOR, " ").trim() + SEPARATOR;
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
