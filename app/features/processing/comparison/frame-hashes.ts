import {
  differ,
  distance,
  HASH_BYTES,
  HASHED_SIDE,
  hashesOfBothSides,
  perceptualHash,
  SAME_BITS,
  shows,
  wordsOf,
} from "./perceptual-hash";

/** Pixels on a side of the grey frames that borders are looked for in. */
export const FRAME_SIDE = 128;
/**
 * How much of the width and height of a blocked video is left out around, so that a copy that shows so
 * much less is found too.
 */
const CROPS = [0, 0.05, 0.1] as const;
export const VARIANTS = CROPS.length;
/** Of 255: the mean light of a row or column of pixels that is border. */
const MAX_BORDER_LIGHT = 20;
/** Of a side of the frame, that may be border at either end. */
const MAX_BORDER = 0.4;

/** A part of a frame, in its pixels. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * What all frames of a video show: without the rows and columns at the edges that are dark in each of them.
 *
 * @param frames FRAME_SIDE by FRAME_SIDE grey pixels of one byte each.
 */
export function boxOf(frames: Iterable<Uint8Array>): Box {
  const rows = new Float64Array(FRAME_SIDE);
  const columns = new Float64Array(FRAME_SIDE);
  for (const frame of frames) {
    const across = new Float64Array(FRAME_SIDE);
    for (let y = 0; y < FRAME_SIDE; y++) {
      let sum = 0;
      for (let x = 0; x < FRAME_SIDE; x++) {
        const light = frame[y * FRAME_SIDE + x]!;
        sum += light;
        across[x]! += light;
      }
      rows[y] = Math.max(rows[y]!, sum / FRAME_SIDE);
    }
    for (let x = 0; x < FRAME_SIDE; x++)
      columns[x] = Math.max(columns[x]!, across[x]! / FRAME_SIDE);
  }
  const [top, bottom] = litPart(rows);
  const [left, right] = litPart(columns);
  return { left, top, right, bottom };
}

function litPart(light: Float64Array): [number, number] {
  const most = Math.floor(FRAME_SIDE * MAX_BORDER);
  let from = 0;
  while (from < most && light[from]! < MAX_BORDER_LIGHT) from++;
  let to = FRAME_SIDE;
  while (to > FRAME_SIDE - most && light[to - 1]! < MAX_BORDER_LIGHT) to--;
  return [from, to];
}

/** The hashes of a frame of a blocked video: of all of it, and of less and less around its middle. */
export function blockedFrame(frame: Uint8Array, box: Box): Uint8Array {
  const hashes = new Uint8Array(VARIANTS * HASH_BYTES);
  for (const [variant, crop] of CROPS.entries()) {
    const hash = perceptualHash(shrink(frame, within(box, crop)));
    hashes.set(hash, variant * HASH_BYTES);
  }
  return hashes;
}

/** The hashes of a frame of a video that is compared with blocked ones: as it is, and mirrored. */
export function comparedFrame(frame: Uint8Array, box: Box): Uint8Array {
  const [asItIs, mirrored] = hashesOfBothSides(shrink(frame, box));
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

/** The part of a frame, as small as it is hashed: each pixel is the mean of those that it stands for. */
function shrink(frame: Uint8Array, { left, top, right, bottom }: Box): Uint8Array {
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

/** Which whole pixels, at least one, each of HASHED_SIDE between two edges stands for. */
function pixelsOf(from: number, to: number): [first: number, end: number][] {
  const edge = (at: number) => Math.round(from + (at * (to - from)) / HASHED_SIDE);
  return Array.from({ length: HASHED_SIDE }, (_, at): [number, number] => {
    const first = Math.min(edge(at), FRAME_SIDE - 1);
    return [first, Math.max(edge(at + 1), first + 1)];
  });
}

/** Frames of a video at even distances. */
export interface Frames {
  /** Seconds from the beginning of the video to the first. */
  first: number;
  /** Seconds between two. */
  step: number;
  /** For each VARIANTS hashes of a blocked video, see blockedFrame(), or two, see comparedFrame(). */
  hashes: Uint8Array;
}

/** Frames of a video that have to be in a blocked one. */
const MIN_FRAMES = 5;
/** Of the frames of a video that show anything; one may have more than the blocked video. */
const MIN_SHARE = 0.3;
/** Seconds by which what two videos have in common may be shifted, beside the step of either. */
const TOLERANCE_SECONDS = 1;

/**
 * How much of a video is in a blocked one, wherever that begins.
 *
 * @returns the share of its frames that are in it, in the same order and at the same distances, mirrored or
 *   not; 0 when they are too few, or show too little that differs.
 */
export function similarity(video: Frames, blocked: Frames): number {
  const words = wordsOf(video.hashes);
  const others = wordsOf(blocked.hashes);
  let showing = 0;
  for (let at = 0; at < words.length / 4; at++) if (shows(words, 2 * at)) showing++;
  let best = 0;
  for (const side of [0, 1]) {
    const found = aligned(video, words, side, blocked, others);
    if (found.length < Math.max(MIN_FRAMES, MIN_SHARE * showing)) continue;
    if (
      !differ(
        words,
        found.map((at) => 2 * at + side),
      )
    )
      continue;
    best = Math.max(best, found.length / showing);
  }
  return best;
}

/** Which frames of a video are in a blocked one when it is laid where most of them are. */
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
    if (!shows(words, own)) continue;
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
