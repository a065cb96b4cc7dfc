import { RECENT_MS, RELATED_MOST, SCORE, tagsOf, titleWords, viewsScore, wordsOf } from "./related";
import { wordIndex } from "./word-index";

/**
 * All published videos in memory, in some 60 bytes each, to score a million of them in a few
 * milliseconds. Exact: `related.ts` is the rule, and a test holds this against a plain scorer.
 *
 * A place (see the migration that makes them) sorts by age and holds the category.
 */
export interface IndexedVideo {
  place: bigint;
  title: string;
  /** As stored. */
  tags: string | null;
  views: number;
}

const LOW_BITS = 21n;
const LOW_MASK = (1n << LOW_BITS) - 1n;
const CATEGORY_MASK = 7;
const PLACE_EPOCH_MS = Date.UTC(2000, 0, 1);
const FIRST_SLOTS = 1_024;
const GONE = 255;

export function relatedIndex() {
  const words = wordIndex();
  const tags = wordIndex();
  let size = 0;
  // A place in two numbers, for a bigint each would cost four times the memory.
  let moments = new Float64Array(FIRST_SLOTS);
  let low = new Uint32Array(FIRST_SLOTS);
  let views = new Uint8Array(FIRST_SLOTS);
  let scores = new Uint16Array(FIRST_SLOTS);
  let marks = new Uint8Array(FIRST_SLOTS);
  /** Slots below this are in the order of the places, the newest first. */
  let ordered = 0;
  const later = new Map<bigint, number>();

  const momentOf = (place: bigint) => Number(place >> LOW_BITS);
  const lowOf = (place: bigint) => Number(place & LOW_MASK);
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
    scores = new Uint16Array(length);
    marks = new Uint8Array(length);
  }

  function slotOf(place: bigint): number | undefined {
    // First these: a video that left and came back at its place has a slot of each kind.
    const slot = later.get(place);
    if (slot !== undefined) return slot;
    const [moment, rest] = [momentOf(place), lowOf(place)];
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

  /** Enters a video, or takes over the views of one that is there already. */
  function put(video: IndexedVideo): void {
    const known = slotOf(video.place);
    if (known !== undefined && views[known] !== GONE) {
      views[known] = viewsScore(video.views);
      return;
    }
    if (size === moments.length) grow();
    const slot = size;
    size += 1;
    moments[slot] = momentOf(video.place);
    low[slot] = lowOf(video.place);
    views[slot] = viewsScore(video.views);
    if (slot === ordered && (slot === 0 || byAge(slot - 1, slot) < 0)) ordered += 1;
    else later.set(video.place, slot);
    for (const word of wordsOf(video.title)) words.add(word, slot);
    for (const tag of tagsOf(video.tags)) tags.add(tag, slot);
  }

  function remove(place: bigint): void {
    const slot = slotOf(place);
    if (slot === undefined) return;
    views[slot] = GONE;
    later.delete(place);
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
  function finish(subject: bigint, now: number): Uint32Array {
    const category = lowOf(subject) & CATEGORY_MASK;
    const recent = now - RECENT_MS - PLACE_EPOCH_MS;
    const own = slotOf(subject);
    const reached = new Uint32Array(2 ** 16);
    for (let slot = 0; slot < size; slot += 1) {
      if (views[slot] === GONE || slot === own) {
        scores[slot] = 0;
        continue;
      }
      let total = scores[slot]! + views[slot]!;
      if ((low[slot]! & CATEGORY_MASK) === category) total += SCORE.category;
      if (moments[slot]! >= recent) total += SCORE.recent;
      scores[slot] = total;
      reached[total]! += 1;
    }
    return reached;
  }

  /** The places of the best at most 20, the best first, equals by age. */
  function best(subject: IndexedVideo, now: number): bigint[] {
    score(subject);
    const reached = finish(subject.place, now);
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

  return { put, remove, best, size: () => size };
}
