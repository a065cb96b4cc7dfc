import type { Database } from "better-sqlite3";
import { catalogueCache } from "~/features/catalogue/catalogue-cache.server";
import { fold } from "~/shared/fold";
import { phrase, SEPARATOR } from "~db/search-index.server";
import { readTags } from "~db/tags";
import type { TagsView } from "./tags-address";

const TAGS_PAGE_SIZE = 100;

/** A tag in the catalogue. Uppercase and lowercase spellings count as the same tag. */
export interface CountedTag {
  /** The case-folded tag, which is used as the key. */
  tag: string;
  /** The most common spelling. */
  name: string;
  /** Other spellings. */
  spellings: string[];
  /** The number of videos, regardless of their status. */
  videos: number;
  published: number;
}

/** One page of tags. The page number is clamped to the last page. */
export interface TagsPage {
  tags: CountedTag[];
  page: number;
  pageCount: number;
  /** The number of tags that match the search. */
  found: number;
  /** The number of all tags. */
  total: number;
  /** The tag that was requested in addition to the page; null if no video has it. */
  requested?: CountedTag | null;
}

/**
 * Returns the page for a view. Counting reads the tags of every video, which takes a third of a second for 100,000
 * videos, so it runs in a worker thread and the result is cached until the catalogue changes.
 */
export function readTagsPage(sqlite: Database) {
  const counted = catalogueCache<CountedTag[]>(sqlite, 1);
  return sqlite.transaction(
    ({ search, sort, page: requestedPage, tag }: TagsView & { tag?: string }) => {
      const all = counted("all", () => countTags(sqlite));
      const needle = fold(search);
      const found = needle ? all.filter((each) => each.tag.includes(needle)) : all;
      const sorted = sort === "name" ? [...found].sort((a, b) => (a.tag < b.tag ? -1 : 1)) : found;
      const pageCount = Math.max(1, Math.ceil(found.length / TAGS_PAGE_SIZE));
      const page = Math.min(requestedPage, pageCount);
      const start = (page - 1) * TAGS_PAGE_SIZE;
      const tags = sorted.slice(start, start + TAGS_PAGE_SIZE);
      const result: TagsPage = { tags, page, pageCount, found: found.length, total: all.length };
      if (tag === undefined) return result;
      return { ...result, requested: all.find((each) => each.tag === tag) ?? null };
    },
  );
}

/** Returns all tags, most used first, then by name. */
function countTags(sqlite: Database): CountedTag[] {
  const found = new Map<
    string,
    { spellings: Map<string, number>; videos: number; published: number }
  >();
  const rows = sqlite
    .prepare<unknown[], [string, 0 | 1]>("SELECT tags, public FROM videos WHERE tags IS NOT NULL")
    .raw()
    .iterate();
  const folded = new Map<string, string>();
  for (const [tags, isPublished] of rows) {
    const own = new Set<string>();
    for (const text of readTags(tags)) {
      const name = text.trim();
      const tag = folded.get(name) ?? fold(name);
      folded.set(name, tag);
      if (tag === "" || own.has(tag)) continue;
      own.add(tag);
      const entry = found.get(tag) ?? { spellings: new Map(), videos: 0, published: 0 };
      found.set(tag, entry);
      entry.spellings.set(name, (entry.spellings.get(name) ?? 0) + 1);
      entry.videos += 1;
      entry.published += isPublished;
    }
  }
  return [...found]
    .map(([tag, { spellings, videos, published }]) => {
      const names = [...spellings].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
      const [name = tag, ...others] = names.map(([spelling]) => spelling);
      return { tag, name, spellings: others, videos, published };
    })
    .sort((a, b) => b.videos - a.videos || (a.tag < b.tag ? -1 : 1));
}

/** Returns the ids of all videos that have any of these case-folded tags, in no particular order. */
export function readTaggedIds(sqlite: Database) {
  const tagged = sqlite
    .prepare<unknown[], string>(
      `SELECT id FROM video_search CROSS JOIN videos INDEXED BY videos_by_age
         ON videos.sort_key = video_search.rowid WHERE video_search MATCH ?`,
    )
    .pluck();
  return ({ tags }: { tags: string[] }): string[] => {
    const entries = tags.map((tag) => SEPARATOR + tag + SEPARATOR);
    return entries.length > 0 ? tagged.all(phrase(entries)) : [];
  };
}
