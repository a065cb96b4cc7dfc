import { fold } from "~/shared/fold";
import { WATCHED_ABOVE, WATCHED_MUCH_ABOVE } from "~/shared/watched";
import { readTags } from "~db/tags";

// The similarity score for two videos (specification, section 9; product decisions).

export const MAX_RELATED = 20;
export const SCORE = {
  /** Points for a word in the current video's title that occurs anywhere in the candidate's title. */
  wordInside: 5,
  /** Additional points if the word is also one of the words in the candidate's title. */
  wordExact: 3,
  category: 8,
  tag: 4,
  /** Points for more than 10,000 views, and additional points for more than 50,000. */
  watched: 2,
  watchedMuch: 1,
  recent: 1,
} as const;
export const RECENT_MS = 30 * 86_400_000;

const SHORTEST_WORD = 3;

/** Stop words, which say nothing about the content of a video. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after all also an and any are as at be been before but by can could did do does for from
  had has have he her here him his how i if in into is it its just like me more most my no not of
  off on one only or our out over she should so some such than that the their them then there these
  they this to too under up us very was we were what when where which while who why will with would
  you your`.split(/\s+/),
);

/** A maximal run of letters and digits in a folded text. */
export const WORD = /[\p{L}\p{N}]+/gu;

/** Returns the unique words of a title, folded. */
export function wordsOf(title: string): string[] {
  return [...new Set(fold(title).match(WORD) ?? [])];
}

/** Returns the words of a title that are scored: those with at least three characters that aren't stop words. */
export function titleWords(title: string): string[] {
  return wordsOf(title).filter(
    (word) => [...word].length >= SHORTEST_WORD && !STOP_WORDS.has(word),
  );
}

/** Returns the unique tags, folded. Entries that aren't text are ignored. */
export function tagsOf(tags: string | null): string[] {
  return [...new Set(readTags(tags).map(fold))];
}

export function viewsScore(views: number): number {
  if (views > WATCHED_MUCH_ABOVE) return SCORE.watched + SCORE.watchedMuch;
  return views > WATCHED_ABOVE ? SCORE.watched : 0;
}
