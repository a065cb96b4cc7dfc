import { nearest } from "./nearest-word";
import {
  RECENT_MS,
  RELATED_MOST,
  SCORE,
  tagsOf,
  titleWords,
  viewsScore,
  WORD,
  wordsOf,
} from "./related-score";

/**
 * All published videos in memory, in some 60 bytes each, to score a million of them in a few
 * milliseconds. Exact: `related.ts` is the rule, and a test holds this against a plain scorer.
 */
export interface IndexedVideo {
  /** See the column: milliseconds since 2000 above the bits that tell equals apart. */
  sortKey: bigint;
  title: string;
  /** The category's id of today. */
  category: string;
  /** As stored. */
  tags: string | null;
  views: number;
}

const LOW_BITS = 22n;
const LOW_MASK = (1n << LOW_BITS) - 1n;
const EPOCH_MS = Date.UTC(2000, 0, 1);
const FIRST_SLOTS = 1_024;
const GONE = 255;
/** So many slots of videos that are gone are nothing yet. */
const FEW_GONE = 4_096;
/** So many tags are counted for each that is wanted; the others are of videos that are gone. */
const TAGS_COUNTED = 4;

export function relatedIndex() {
  const words = wordIndex();
  const tags = wordIndex();
  let size = 0;
  // A sort key in two numbers, for a bigint each would cost four times the memory.
  let moments = new Float64Array(FIRST_SLOTS);
  let low = new Uint32Array(FIRST_SLOTS);
  let views = new Uint8Array(FIRST_SLOTS);
  let categories = new Uint16Array(FIRST_SLOTS);
  const categoryNames: string[] = [];
  let gone = 0;
  let scores = new Uint16Array(FIRST_SLOTS);
  let marks = new Uint8Array(FIRST_SLOTS);
  /** Slots below this are in the order of the sort keys, the newest first. */
  let ordered = 0;
  const later = new Map<bigint, number>();

  const momentOf = (sortKey: bigint) => Number(sortKey >> LOW_BITS);
  const lowOf = (sortKey: bigint) => Number(sortKey & LOW_MASK);
  /** Below 0 when slot a is the newer. */
  const byAge = (a: number, b: number) => moments[b]! - moments[a]! || low[b]! - low[a]!;

  function grow(): void {
    const length = Math.ceil(moments.length * 1.5);
    const longer = <T extends Float64Array | Uint32Array | Uint16Array | Uint8Array>(
      list: T,
      copy: T,
    ): T => {
      copy.set(list);
      return copy;
    };
    moments = longer(moments, new Float64Array(length));
    low = longer(low, new Uint32Array(length));
    views = longer(views, new Uint8Array(length));
    categories = longer(categories, new Uint16Array(length));
    scores = new Uint16Array(length);
    marks = new Uint8Array(length);
  }

  function slotOf(sortKey: bigint): number | undefined {
    // First these: a video that left and came back has a slot of each kind.
    const slot = later.get(sortKey);
    if (slot !== undefined) return slot;
    const [moment, rest] = [momentOf(sortKey), lowOf(sortKey)];
    let from = 0;
    let to = ordered;
    while (from < to) {
      const middle = (from + to) >> 1;
      const newer = moments[middle]! - moment || low[middle]! - rest;
      if (newer === 0) return middle;
      if (newer > 0) from = middle + 1;
      else to = middle;
    }
    return undefined;
  }

  /** Rows of other programs may have any text as a category: there is room for 65,536 of them. */
  function categoryCode(name: string): number {
    const known = categoryNames.indexOf(name);
    return known >= 0 ? known : categoryNames.push(name) - 1;
  }

  /** Enters a video that is not there. */
  function put(video: IndexedVideo): void {
    if (size === moments.length) grow();
    const slot = size;
    size += 1;
    moments[slot] = momentOf(video.sortKey);
    low[slot] = lowOf(video.sortKey);
    views[slot] = viewsScore(video.views);
    categories[slot] = categoryCode(video.category);
    if (slot === ordered && (slot === 0 || byAge(slot - 1, slot) < 0)) ordered += 1;
    else later.set(video.sortKey, slot);
    for (const word of wordsOf(video.title)) words.add(word, slot);
    for (const tag of tagsOf(video.tags)) tags.add(tag, slot);
  }

  function remove(sortKey: bigint): void {
    const slot = slotOf(sortKey);
    if (slot === undefined || views[slot] === GONE) return;
    views[slot] = GONE;
    gone += 1;
    later.delete(sortKey);
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

  function add(slots: Uint32Array, points: number): void {
    for (let i = 0; i < slots.length; i += 1) scores[slots[i]!]! += points;
  }

  /** For a title may have several words with the same part. */
  function addOnce(slots: Uint32Array): void {
    for (let i = 0; i < slots.length; i += 1) {
      const slot = slots[i]!;
      if (marks[slot] === 0) scores[slot]! += SCORE.wordInside;
      marks[slot] = 1;
    }
  }

  /** The rest of the score, which every video may have; how many have reached each score. */
  function finish(subject: IndexedVideo, now: number): Uint32Array {
    const category = categoryCode(subject.category);
    const recent = now - RECENT_MS - EPOCH_MS;
    const own = slotOf(subject.sortKey);
    const reached = new Uint32Array(2 ** 16);
    for (let slot = 0; slot < size; slot += 1) {
      if (views[slot] === GONE || slot === own) {
        scores[slot] = 0;
        continue;
      }
      let total = scores[slot]! + views[slot]!;
      if (categories[slot] === category) total += SCORE.category;
      if (moments[slot]! >= recent) total += SCORE.recent;
      scores[slot] = total;
      reached[total]! += 1;
    }
    return reached;
  }

  /** The sort keys of the best at most 20, the best first, equals by age. */
  function best(subject: IndexedVideo, now: number): bigint[] {
    score(subject);
    const reached = finish(subject, now);
    let least = reached.length - 1;
    let above = 0;
    while (least > 1 && above + reached[least]! < RELATED_MOST) {
      above += reached[least]!;
      least -= 1;
    }
    const found: number[] = [];
    // Of the equals at the end of the list, the first in order are the newest.
    let wanted = RELATED_MOST - above;
    for (let slot = 0; slot < size; slot += 1) {
      const reachedScore = scores[slot]!;
      if (reachedScore < least) continue;
      if (reachedScore === least && slot < ordered) {
        if (wanted === 0) continue;
        wanted -= 1;
      }
      found.push(slot);
    }
    return found
      .sort((a, b) => scores[b]! - scores[a]! || byAge(a, b))
      .slice(0, RELATED_MOST)
      .map((slot) => (BigInt(moments[slot]!) << LOW_BITS) | BigInt(low[slot]!));
  }

  /** How many videos have a tag or a word. */
  function countOf(slots: Uint32Array): number {
    let count = 0;
    for (let i = 0; i < slots.length; i += 1) if (views[slots[i]!] !== GONE) count += 1;
    return count;
  }

  /** Every tag that a video has, folded, and how many have it; in no order. */
  function tagCounts(): [tag: string, videos: number][] {
    const counts: [string, number][] = [];
    for (const tag of tags.words()) {
      const count = countOf(tags.slotsOf(tag));
      if (count > 0) counts.push([tag, count]);
    }
    return counts;
  }

  /** The tags that contain `part`: first those that begin with it, of these the most used first. */
  function tagsWith(part: string, most: number): string[] {
    return tags
      .wordsWith(part)
      .map((tag) => ({ tag, begins: tag.startsWith(part), slots: tags.slotsOf(tag) }))
      .sort((a, b) => Number(b.begins) - Number(a.begins) || b.slots.length - a.slots.length)
      .slice(0, TAGS_COUNTED * most)
      .filter(({ slots }) => countOf(slots) > 0)
      .slice(0, most)
      .map(({ tag }) => tag);
  }

  /**
   * What may have been meant by a text that nothing contains, the likelier first: with each of its
   * words that is in no title replaced by the nearest that is, the nearest tag, each nearest word alone.
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
    tagCounts,
    tagsWith,
    nearestTexts,
    size: () => size,
    /** Whether an index made anew would be much smaller. */
    hasGrown: () => gone > FEW_GONE && gone > (size - gone) / 2,
  };
}

/** Which videos have a word, for all words, in memory. A video is its slot, a small number. */

interface Posting {
  slots: Uint32Array;
  length: number;
}

/** A word that only one video has, as most have, costs no list: its slot stands by itself. */
type Slots = number | Posting;

function wordIndex() {
  const words = new Map<string, Slots>();
  /** Every word once, between line feeds. */
  let text = "\n";

  return {
    add(word: string, slot: number): void {
      const before = words.get(word);
      if (before === undefined) {
        words.set(word, slot);
        text += `${word}\n`;
      } else if (typeof before === "number") {
        words.set(word, { slots: Uint32Array.of(before, slot, 0, 0), length: 2 });
      } else {
        append(before, slot);
      }
    },

    /** The slots of a word, a slot at most once. */
    slotsOf(word: string): Uint32Array {
      return listed(words.get(word));
    },

    words: () => words.keys(),

    /** All words that contain `part`, itself included. */
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

function append(posting: Posting, slot: number): void {
  if (posting.length === posting.slots.length) {
    const longer = new Uint32Array(Math.ceil(posting.length * 1.5));
    longer.set(posting.slots);
    posting.slots = longer;
  }
  posting.slots[posting.length] = slot;
  posting.length += 1;
}

function listed(slots: Slots | undefined): Uint32Array {
  if (slots === undefined) return new Uint32Array();
  if (typeof slots === "number") return Uint32Array.of(slots);
  return slots.slots.subarray(0, slots.length);
}
