import type { Database } from "better-sqlite3";
import { publishedIndex } from "./related-hits.server";

export interface KnownTags {
  /** Folded, with the number of published videos; the most used first. */
  tags: [tag: string, videos: number][];
  /** False while the index is being read. */
  complete: boolean;
}

/** The most used tags of what is published, out of the memory of the related thread. */
export function knownTags(sqlite: Database): (question: { most: number }) => KnownTags {
  const published = publishedIndex(sqlite);
  return sqlite.transaction(({ most }) => {
    const { index, complete } = published();
    const tags = index.tagCounts().sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return { tags: tags.slice(0, most), complete };
  });
}
