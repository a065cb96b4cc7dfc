import type { Database } from "better-sqlite3";
import { searchNeedle } from "~/shared/search-text";
import { phrase, SEPARATOR } from "~db/search-index.server";
import { catalogueCache } from "./catalogue-cache.server";

/** Tags are the same if their folded forms are. Each tag has one name, which is the spelling of most of its videos. */

const MAX_CACHED_TAGS = 5_000;

interface Spelling {
  name: string;
  videos: number;
}

/** A request to the query thread for the names of tags. */
export interface TagNamesQuery {
  /** Folded. */
  tags: readonly string[];
  /** How many of a tag's newest videos determine its name; undefined for all of them. */
  newest?: number;
}

/** Returns a function that finds the names of tags on one database connection; null if no listed video has the tag. */
export function tagNames(sqlite: Database) {
  const cached = catalogueCache<{ name: string | null }>(sqlite, MAX_CACHED_TAGS);
  const spellings = sqlite.prepare<unknown[], Spelling>(`
    SELECT trim(tag.value) AS name, count(*) AS videos
    FROM (SELECT videos.tags FROM video_search CROSS JOIN videos INDEXED BY videos_listed
        ON videos.sort_key = video_search.rowid AND listed
      WHERE video_search MATCH ? ORDER BY video_search.rowid DESC LIMIT ?) AS tagged
    CROSS JOIN json_each(tagged.tags) AS tag
    WHERE tag.type = 'text' GROUP BY 1 ORDER BY 2 DESC, 1`);

  function nameOf(tag: string, newest = -1): { name: string | null } {
    const found = spellings.all(phrase([SEPARATOR + tag + SEPARATOR]), newest);
    return { name: found.find(({ name }) => searchNeedle(name) === tag)?.name ?? null };
  }

  return sqlite.transaction(({ tags, newest }: TagNamesQuery) =>
    tags.map((tag) => cached(`${newest} ${tag}`, () => nameOf(tag, newest)).name),
  );
}

/** Returns a function that finds the names of all tags of listed videos, most used first. */
export function allTagNames(sqlite: Database) {
  const spellings = sqlite.prepare<unknown[], Spelling>(`
    SELECT trim(tag.value) AS name, count(*) AS videos
    FROM videos INDEXED BY videos_listed CROSS JOIN json_each(videos.tags) AS tag
    WHERE listed AND tag.type = 'text' GROUP BY 1 ORDER BY 2 DESC, 1`);

  return ({ limit }: { limit: number }): string[] => {
    const tags = new Map<string, Spelling>();
    for (const { name, videos } of spellings.iterate()) {
      const key = searchNeedle(name);
      const tag = tags.get(key);
      if (tag) tag.videos += videos;
      else tags.set(key, { name, videos });
    }
    return [...tags.values()]
      .sort((a, b) => b.videos - a.videos)
      .slice(0, limit)
      .map(({ name }) => name);
  };
}
