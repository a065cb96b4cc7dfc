import { VARIANTS } from "./frame-hashes";
import { distance, LEAST_DIFFERENT, SAME_BITS, shows, wordsOf } from "./perceptual-hash";

/** Frames of a film at even distances. */
export interface Frames {
  /** Seconds from the beginning of the film to the first. */
  first: number;
  /** Seconds between two. */
  step: number;
  /** For each VARIANTS hashes of a blocked film, see blockedFrame(), or two, see comparedFrame(). */
  hashes: Uint8Array;
}

/** Frames of a film that have to be in a blocked one. */
const LEAST_FRAMES = 5;
/** Of the frames of a film that show anything; one may have more than the blocked film. */
const LEAST_SHARE = 0.3;
/** Seconds by which what two films have in common may be shifted, beside the step of either. */
const TOLERANCE_SECONDS = 1;

/**
 * How much of a film is in a blocked one, wherever that begins.
 *
 * @returns the share of its frames that are in it, in the same order and at the same distances, mirrored or
 *   not; 0 when they are too few, or show too little that differs.
 */
export function likeness(film: Frames, blocked: Frames): number {
  const words = wordsOf(film.hashes);
  const others = wordsOf(blocked.hashes);
  let showing = 0;
  for (let at = 0; at < words.length / 4; at++) if (shows(words, 2 * at)) showing++;
  let best = 0;
  for (const side of [0, 1]) {
    const found = aligned(film, words, side, blocked, others);
    if (found.length < Math.max(LEAST_FRAMES, LEAST_SHARE * showing)) continue;
    if (different(words, side, found) < LEAST_DIFFERENT) continue;
    best = Math.max(best, found.length / showing);
  }
  return best;
}

/** Which frames of a film are in a blocked one when it is laid where most of them are. */
function aligned(
  film: Frames,
  words: Uint32Array,
  side: number,
  blocked: Frames,
  others: Uint32Array,
): number[] {
  const pairs: { at: number; shift: number }[] = [];
  for (let at = 0; at < words.length / 4; at++) {
    const own = 2 * at + side;
    if (!shows(words, own)) continue;
    for (let other = 0; other < others.length / (2 * VARIANTS); other++) {
      if (!isSame(words, own, others, other)) continue;
      const seconds = film.first + at * film.step;
      pairs.push({ at, shift: blocked.first + other * blocked.step - seconds });
    }
  }
  pairs.sort((a, b) => a.shift - b.shift);
  const width = blocked.step + TOLERANCE_SECONDS;
  const inside = new Map<number, number>();
  let best: number[] = [];
  let from = 0;
  for (const { at, shift } of pairs) {
    inside.set(at, (inside.get(at) ?? 0) + 1);
    for (; shift - pairs[from]!.shift > width; from++) {
      const gone = pairs[from]!.at;
      const left = inside.get(gone)! - 1;
      if (left === 0) inside.delete(gone);
      else inside.set(gone, left);
    }
    if (inside.size > best.length) best = [...inside.keys()];
  }
  return best;
}

function isSame(words: Uint32Array, own: number, others: Uint32Array, frame: number): boolean {
  for (let variant = frame * VARIANTS; variant < (frame + 1) * VARIANTS; variant++) {
    if (shows(others, variant) && distance(words, own, others, variant) <= SAME_BITS) return true;
  }
  return false;
}

/** How many of some frames differ from each other. */
function different(words: Uint32Array, side: number, frames: readonly number[]): number {
  const seen: number[] = [];
  for (const at of frames) {
    const own = 2 * at + side;
    if (seen.every((other) => distance(words, own, words, other) > SAME_BITS)) seen.push(own);
  }
  return seen.length;
}
