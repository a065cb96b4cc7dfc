import { nearest } from "./nearest-word";
import {
  MAX_RELATED,
  RECENT_MS,
  SCORE,
  tagsOf,
  titleWords,
  viewsScore,
  WORD,
  wordsOf,
} from "./related-score";

/**
 * An in-memory index of all published videos. It takes up about 60 bytes per video and can score a million videos in a
 * few milliseconds. The scores are exact: a test compares them with a simple implementation of the rule in
 * `related-score.ts`.
 */
export interface IndexedVideo {
  /**
   * The same value as in the database column: milliseconds since 2000 in the high bits, a tie breaker in the low bits.
   */
  sortKey: bigint;
  title: string;
  /** The current id of the video's category. */
  category: string;
  /** The `tags` column as stored. */
  tags: string | null;
  views: number;
}

const LOW_BITS = 22n;
const LOW_MASK = (1n << LOW_BITS) - 1n;
const EPOCH_MS = Date.UTC(2000, 0, 1);
const REMOVED = 255;
/**
 * The number of candidates checked per requested tag. More than one is needed because some tags belong only to removed
 * videos.
 */
const TAGS_COUNTED = 4;

/**
 * Returns an empty index.
 *
 * @param capacity the maximum number of videos that can ever be added, including removed ones.
 */
export function relatedIndex(capacity: number) {
  const words = wordIndex();
  const tags = wordIndex();
  let size = 0;
  // Sort keys are split into two numbers, because bigints would take four times the memory.
  const timestamps = new Float64Array(capacity);
  const low = new Uint32Array(capacity);
  const views = new Uint8Array(capacity);
  const categories = new Uint16Array(capacity);
  const categoryNames: string[] = [];
  const scores = new Uint16Array(capacity);
  const marks = new Uint8Array(capacity);
  /** Slots below this number are ordered by sort key, newest first. */
  let ordered = 0;
  const unordered = new Map<bigint, number>();

  const timestampOf = (sortKey: bigint) => Number(sortKey >> LOW_BITS);
  const lowOf = (sortKey: bigint) => Number(sortKey & LOW_MASK);
  /** Returns a negative number if slot `a` is newer. */
  const byAge = (a: number, b: number) => timestamps[b]! - timestamps[a]! || low[b]! - low[a]!;

  function slotOf(sortKey: bigint): number | undefined {
    // Check the unordered slots first, because a video that was removed and added again has one slot of each kind.
    const slot = unordered.get(sortKey);
    if (slot !== undefined) return slot;
    const [timestamp, rest] = [timestampOf(sortKey), lowOf(sortKey)];
    let from = 0;
    let to = ordered;
    while (from < to) {
      const middle = (from + to) >> 1;
      const newer = timestamps[middle]! - timestamp || low[middle]! - rest;
      if (newer === 0) return middle;
      if (newer > 0) from = middle + 1;
      else to = middle;
    }
    return undefined;
  }

  /**
   * Returns the numeric code of a category. Other tools may store any text as a category. Up to 65,536 distinct values
   * are supported.
   */
  function categoryCode(name: string): number {
    const known = categoryNames.indexOf(name);
    return known >= 0 ? known : categoryNames.push(name) - 1;
  }

  /** Adds a video that isn't in the index yet. Does nothing if the index is full. */
  function put(video: IndexedVideo): void {
    if (size === capacity) return;
    const slot = size;
    size += 1;
    timestamps[slot] = timestampOf(video.sortKey);
    low[slot] = lowOf(video.sortKey);
    views[slot] = viewsScore(video.views);
    categories[slot] = categoryCode(video.category);
    if (slot === ordered && (slot === 0 || byAge(slot - 1, slot) < 0)) ordered += 1;
    else unordered.set(video.sortKey, slot);
    for (const word of wordsOf(video.title)) words.add(word, slot);
    for (const tag of tagsOf(video.tags)) tags.add(tag, slot);
  }

  function remove(sortKey: bigint): void {
    const slot = slotOf(sortKey);
    if (slot === undefined || views[slot] === REMOVED) return;
    views[slot] = REMOVED;
    unordered.delete(sortKey);
  }

  function score(subject: Pick<IndexedVideo, "title" | "tags">): void {
    scores.fill(0, 0, size);
    for (const word of titleWords(subject.title)) {
      marks.fill(0, 0, size);
      for (const candidate of words.wordsWith(word)) addOnce(words.slotsOf(candidate));
      add(words.slotsOf(word), SCORE.wordExact);
    }
    for (const tag of tagsOf(subject.tags)) add(tags.slotsOf(tag), SCORE.tag);
  }

  function add(slots: readonly number[], points: number): void {
    for (const slot of slots) scores[slot]! += points;
  }

  /** Adds points once per slot, because several words in a title may contain the same text. */
  function addOnce(slots: readonly number[]): void {
    for (const slot of slots) {
      if (marks[slot] === 0) scores[slot]! += SCORE.wordInside;
      marks[slot] = 1;
    }
  }

  /** Returns the sort keys of at most 20 related videos, best first; among equal scores, newest first. */
  function best(subject: IndexedVideo, now: number): bigint[] {
    score(subject);
    const category = categoryCode(subject.category);
    const recent = now - RECENT_MS - EPOCH_MS;
    const own = slotOf(subject.sortKey);
    const byScore = (a: number, b: number) => scores[b]! - scores[a]! || byAge(a, b);
    const found: number[] = [];
    // The minimum score to qualify. If the list is full, a video with exactly this score qualifies only if it is newer.
    let minScore = 1;
    for (let slot = 0; slot < size; slot += 1) {
      if (views[slot] === REMOVED || slot === own) continue;
      let total = scores[slot]! + views[slot]!;
      if (categories[slot] === category) total += SCORE.category;
      if (timestamps[slot]! >= recent) total += SCORE.recent;
      if (total < minScore) continue;
      scores[slot] = total;
      const last = found[MAX_RELATED - 1];
      if (last !== undefined && byScore(slot, last) > 0) continue;
      found.push(slot);
      found.sort(byScore);
      found.length = Math.min(found.length, MAX_RELATED);
      if (found.length === MAX_RELATED) minScore = scores[found[MAX_RELATED - 1]!]!;
    }
    return found.map((slot) => (BigInt(timestamps[slot]!) << LOW_BITS) | BigInt(low[slot]!));
  }

  /** Returns the number of videos that have a given tag or word. */
  const countOf = (slots: readonly number[]) =>
    slots.reduce((count, slot) => count + Number(views[slot] !== REMOVED), 0);

  /**
   * Returns the tags that contain `part`. Tags that start with it come first; within each group, tags with more videos
   * come first.
   */
  function tagsWith(part: string, limit: number): string[] {
    return tags
      .wordsWith(part)
      .map((tag) => ({ tag, begins: tag.startsWith(part), slots: tags.slotsOf(tag) }))
      .sort((a, b) => Number(b.begins) - Number(a.begins) || b.slots.length - a.slots.length)
      .slice(0, TAGS_COUNTED * limit)
      .filter(({ slots }) => countOf(slots) > 0)
      .slice(0, limit)
      .map(({ tag }) => tag);
  }

  /**
   * Returns suggestions for a text that has no matches, most likely first: the text with each unknown word replaced by
   * the most similar known one, the most similar tag, and each corrected word separately.
   */
  function nearestTexts(text: string, deadline: number): string[] {
    const corrected: string[] = [];
    const whole = text.replace(WORD, (word) => {
      if (words.wordsWith(word).length > 0) return word;
      const known = nearest(word, words.words(), (each) => countOf(words.slotsOf(each)), deadline);
      if (!known) return word;
      corrected.push(known.text);
      return known.text;
    });
    const tag = nearest(text, tags.words(), (each) => countOf(tags.slotsOf(each)), deadline);
    const found = [whole, tag?.text ?? whole, ...corrected];
    return [...new Set(found)].filter((each) => each !== text);
  }

  return {
    put,
    remove,
    best,
    tagsWith,
    nearestTexts,
    size: () => size,
    isFull: () => size === capacity,
  };
}

/** Returns an in-memory inverted index that maps words to the slots of the videos that contain them. */
function wordIndex() {
  /** Most words occur in only one video. Such a word stores the slot directly instead of a list. */
  const words = new Map<string, number | number[]>();
  /** All distinct words, separated by line feeds. */
  let text = "\n";

  return {
    add(word: string, slot: number): void {
      const before = words.get(word);
      if (before === undefined) {
        words.set(word, slot);
        text += `${word}\n`;
      } else if (typeof before === "number") {
        words.set(word, [before, slot]);
      } else {
        before.push(slot);
      }
    },

    /** Returns the slots for a word, without duplicates. */
    slotsOf(word: string): readonly number[] {
      const slots = words.get(word) ?? [];
      return typeof slots === "number" ? [slots] : slots;
    },

    words: () => words.keys(),

    /** Returns all words that contain `part`, including `part` itself. */
    wordsWith(part: string): string[] {
      const found: string[] = [];
      let at = text.indexOf(part);
      while (at >= 0) {
        const end = text.indexOf("\n", at);
        found.push(text.slice(text.lastIndexOf("\n", at) + 1, end));
        at = text.indexOf(part, end);
      }
      return found;
    },
  };
}
