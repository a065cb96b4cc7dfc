import type { Database } from "better-sqlite3";
import { listedIndex } from "./related-hits.server";

/** What the index of published videos knows besides: tags and words, out of memory. */

export interface KnownTags {
  /** Folded; the most used first. */
  tags: string[];
  /** False while the index is being read. */
  complete: boolean;
}

/** The most used tags. */
export function knownTags(sqlite: Database): (question: { most: number }) => KnownTags {
  const published = listedIndex(sqlite);
  return sqlite.transaction(({ most }) => {
    const { index, complete } = published();
    const tags = index.tagCounts().sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return { tags: tags.slice(0, most).map(([tag]) => tag), complete };
  });
}

export interface MatchingTagsQuestion {
  /** Folded, not empty. */
  needle: string;
  most: number;
}

/** The tags that contain a text, see {@link relatedIndex}. */
export function matchingTags(sqlite: Database): (question: MatchingTagsQuestion) => string[] {
  const published = listedIndex(sqlite);
  return sqlite.transaction(({ needle, most }) => published().index.tagsWith(needle, most));
}

/** What is near is looked for no longer: others wait for the thread. */
const NEAREST_WITHIN_MS = 60;

/** What may have been meant by a folded text that nothing contains. */
export function nearestTexts(sqlite: Database): (question: { needle: string }) => string[] {
  const published = listedIndex(sqlite);
  return sqlite.transaction(({ needle }) =>
    published().index.nearestTexts(needle, performance.now() + NEAREST_WITHIN_MS),
  );
}
