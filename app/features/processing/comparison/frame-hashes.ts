import {
  areDistinct,
  HASH_BYTES,
  HASHED_SIDE,
  hammingDistance,
  hasContent,
  hashWithMirror,
  MAX_DIFFERENT_BITS,
  perceptualHash,
  wordsOf,
} from "./perceptual-hash";

/** The side length, in pixels, of the gray frames that are used to detect borders. */
export const FRAME_SIDE = 128;
/**
 * The fractions of the width and height that are cut off in the crop variants of a blocked video, so that cropped
 * copies are found.
 */
const CROPS = [0, 0.05, 0.1] as const;
export const VARIANTS = CROPS.length;
/** The maximum mean brightness (out of 255) of a row or column of pixels for it to count as part of a border. */
const MAX_BORDER_BRIGHTNESS = 20;
/** The maximum fraction of a side that counts as a border at either end. */
const MAX_BORDER_SHARE = 0.4;

/** A region of a frame, in pixels. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * Returns the region of the frames that excludes the borders. Borders are rows and columns at the edges that are dark
 * in all frames.
 *
 * @param frames FRAME_SIDE × FRAME_SIDE gray pixels, one byte each.
 */
export function contentBox(frames: Iterable<Uint8Array>): Box {
  const rows = new Float64Array(FRAME_SIDE);
  const columns = new Float64Array(FRAME_SIDE);
  for (const frame of frames) {
    const across = new Float64Array(FRAME_SIDE);
    for (let y = 0; y < FRAME_SIDE; y++) {
      let sum = 0;
      for (let x = 0; x < FRAME_SIDE; x++) {
        const brightness = frame[y * FRAME_SIDE + x]!;
        sum += brightness;
        across[x]! += brightness;
      }
      rows[y] = Math.max(rows[y]!, sum / FRAME_SIDE);
    }
    for (let x = 0; x < FRAME_SIDE; x++)
      columns[x] = Math.max(columns[x]!, across[x]! / FRAME_SIDE);
  }
  const [top, bottom] = withoutBorders(rows);
  const [left, right] = withoutBorders(columns);
  return { left, top, right, bottom };
}

function withoutBorders(brightness: Float64Array): [number, number] {
  const most = Math.floor(FRAME_SIDE * MAX_BORDER_SHARE);
  let from = 0;
  while (from < most && brightness[from]! < MAX_BORDER_BRIGHTNESS) from++;
  let to = FRAME_SIDE;
  while (to > FRAME_SIDE - most && brightness[to - 1]! < MAX_BORDER_BRIGHTNESS) to--;
  return [from, to];
}

/** Returns the hashes for a blocked video's frame: one for each crop variant. */
export function hashBlockedFrame(frame: Uint8Array, box: Box): Uint8Array {
  const hashes = new Uint8Array(VARIANTS * HASH_BYTES);
  for (const [variant, crop] of CROPS.entries()) {
    const hash = perceptualHash(scaleDown(frame, within(box, crop)));
    hashes.set(hash, variant * HASH_BYTES);
  }
  return hashes;
}

/**
 * Returns the hashes for a frame of a video that is compared with blocked ones: one for the original frame and one for
 * its mirror image.
 */
export function hashComparedFrame(frame: Uint8Array, box: Box): Uint8Array {
  const [asItIs, mirrored] = hashWithMirror(scaleDown(frame, box));
  const hashes = new Uint8Array(2 * HASH_BYTES);
  hashes.set(asItIs);
  hashes.set(mirrored, HASH_BYTES);
  return hashes;
}

function within({ left, top, right, bottom }: Box, crop: number): Box {
  const x = ((right - left) * crop) / 2;
  const y = ((bottom - top) * crop) / 2;
  return { left: left + x, top: top + y, right: right - x, bottom: bottom - y };
}

/**
 * Scales a region of a frame down to the size used for hashing. Each pixel is the mean of the pixels that it covers.
 */
function scaleDown(frame: Uint8Array, { left, top, right, bottom }: Box): Uint8Array {
  const small = new Uint8Array(HASHED_SIDE ** 2);
  const columns = pixelsOf(left, right);
  for (const [y, [above, below]] of pixelsOf(top, bottom).entries()) {
    for (const [x, [first, end]] of columns.entries()) {
      let sum = 0;
      for (let row = above; row < below; row++)
        for (let at = first; at < end; at++) sum += frame[row * FRAME_SIDE + at]!;
      small[y * HASHED_SIDE + x] = Math.round(sum / ((below - above) * (end - first)));
    }
  }
  return small;
}

/** Divides the pixels between two edges into HASHED_SIDE ranges of at least one pixel each. */
function pixelsOf(from: number, to: number): [first: number, end: number][] {
  const edge = (at: number) => Math.round(from + (at * (to - from)) / HASHED_SIDE);
  return Array.from({ length: HASHED_SIDE }, (_, at): [number, number] => {
    const first = Math.min(edge(at), FRAME_SIDE - 1);
    return [first, Math.max(edge(at + 1), first + 1)];
  });
}

/** The hashes of a video's frames at evenly spaced times. */
export interface Frames {
  /** The timestamp of the first frame, in seconds. */
  first: number;
  /** The number of seconds between two frames. */
  step: number;
  /**
   * Per frame: VARIANTS hashes for a blocked video (see hashBlockedFrame), or two for other videos (see
   * hashComparedFrame).
   */
  hashes: Uint8Array;
}

/** The minimum number of frames that must match those of a blocked video. */
const MIN_FRAMES = 5;
/**
 * The minimum share of frames that must match, not counting blank frames. It is low because a video may contain more
 * than just the blocked video.
 */
const MIN_SHARE = 0.3;
/**
 * The tolerance, in seconds, for the time offset between two videos. The blocked video's interval between frames is
 * added to it.
 */
const TOLERANCE_SECONDS = 1;

/**
 * Returns how much of a video also appears in a blocked video, at any offset.
 *
 * @returns the share of the video's frames that match, in the same order and at the same intervals, mirrored or not; 0
 * if there are too few frames or if the frames are too similar to each other.
 */
export function similarity(video: Frames, blocked: Frames): number {
  const words = wordsOf(video.hashes);
  const others = wordsOf(blocked.hashes);
  let showing = 0;
  for (let at = 0; at < words.length / 4; at++) if (hasContent(words, 2 * at)) showing++;
  let best = 0;
  for (const side of [0, 1]) {
    const found = aligned(video, words, side, blocked, others);
    if (found.length < Math.max(MIN_FRAMES, MIN_SHARE * showing)) continue;
    if (
      !areDistinct(
        words,
        found.map((at) => 2 * at + side),
      )
    )
      continue;
    best = Math.max(best, found.length / showing);
  }
  return best;
}

/** Returns the frames of a video that match a blocked video, at the offset with the most matches. */
function aligned(
  video: Frames,
  words: Uint32Array,
  side: number,
  blocked: Frames,
  others: Uint32Array,
): number[] {
  const pairs: { at: number; shift: number }[] = [];
  for (let at = 0; at < words.length / 4; at++) {
    const own = 2 * at + side;
    if (!hasContent(words, own)) continue;
    for (let other = 0; other < others.length / (2 * VARIANTS); other++) {
      if (!isSame(words, own, others, other)) continue;
      const seconds = video.first + at * video.step;
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
      const removed = pairs[from]!.at;
      const left = inside.get(removed)! - 1;
      if (left === 0) inside.delete(removed);
      else inside.set(removed, left);
    }
    if (inside.size > best.length) best = [...inside.keys()];
  }
  return best;
}

function isSame(words: Uint32Array, own: number, others: Uint32Array, frame: number): boolean {
  for (let variant = frame * VARIANTS; variant < (frame + 1) * VARIANTS; variant++) {
    if (
      hasContent(others, variant) &&
      hammingDistance(words, own, others, variant) <= MAX_DIFFERENT_BITS
    )
      return true;
  }
  return false;
}
