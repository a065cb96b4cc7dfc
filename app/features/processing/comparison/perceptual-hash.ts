import type { Database } from "better-sqlite3";

/** The side length, in pixels, of the gray frames that are hashed. */
export const HASHED_SIDE = 32;
/** The number of low frequencies used in each direction. */
const LOW_FREQUENCIES = 8;
/** The number of frames in a fingerprint. */
export const FINGERPRINT_FRAMES = 16;
export const HASH_BYTES = 8;
/**
 * The standard deviation of the brightness (out of 255) below which a frame counts as blank. This includes black
 * frames.
 */
const MIN_CONTRAST = 8;
/**
 * The number of bits, out of 64, that may differ between two frames of the same scene. Unrelated frames differ in about
 * 32.
 */
export const MAX_DIFFERENT_BITS = 10;
/**
 * The minimum number of distinct frames. A video with fewer distinct frames is a still image or a test card, which
 * resembles many other videos.
 */
const MIN_DIFFERENT = 4;
/** The minimum share of each video's frames that must be found in the other one. */
const MIN_SHARE = 0.6;
/**
 * The number of positions by which matching frames may be shifted. The shift is needed to find videos whose beginning
 * was trimmed.
 */
const MAX_SHIFT = 2;

const cosines = Array.from({ length: LOW_FREQUENCIES }, (_, frequency) =>
  Array.from({ length: HASHED_SIDE }, (_, at) =>
    Math.cos(((2 * at + 1) * frequency * Math.PI) / (2 * HASHED_SIDE)),
  ),
);

/**
 * Returns a frame's perceptual hash (pHash): for each of the 64 lowest frequencies of its cosine transform, whether it
 * is above their median. The first frequency, which is the frame's brightness, is ignored.
 *
 * @param frame HASHED_SIDE × HASHED_SIDE gray pixels, one byte each.
 * @returns 8 bytes; all 0 for a blank frame.
 */
export function perceptualHash(frame: Uint8Array): Uint8Array {
  return hashWithMirror(frame)[0];
}

/** Returns the hashes of a frame and of its mirror image, whose odd frequencies have the opposite sign. */
export function hashWithMirror(frame: Uint8Array): [Uint8Array, Uint8Array] {
  if (contrastOf(frame) < MIN_CONTRAST)
    return [new Uint8Array(HASH_BYTES), new Uint8Array(HASH_BYTES)];
  const coefficients = frequenciesOf(frame);
  const mirrored = coefficients.map((value, at) =>
    (at % LOW_FREQUENCIES) % 2 === 1 ? -value : value,
  );
  return [hashOf(coefficients), hashOf(mirrored)];
}

function frequenciesOf(frame: Uint8Array): number[] {
  const rows: number[][] = [];
  for (let y = 0; y < HASHED_SIDE; y++) {
    const row = frame.subarray(y * HASHED_SIDE, (y + 1) * HASHED_SIDE);
    rows.push(cosines.map((cosine) => row.reduce((sum, value, x) => sum + value * cosine[x]!, 0)));
  }
  const coefficients: number[] = [];
  for (let v = 0; v < LOW_FREQUENCIES; v++) {
    for (let u = 0; u < LOW_FREQUENCIES; u++) {
      coefficients.push(rows.reduce((sum, row, y) => sum + row[u]! * cosines[v]![y]!, 0));
    }
  }
  return coefficients;
}

function hashOf(coefficients: readonly number[]): Uint8Array {
  const hash = new Uint8Array(HASH_BYTES);
  const sorted = coefficients.slice(1).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)]!;
  for (const [bit, value] of coefficients.entries()) {
    if (bit > 0 && value >= median) hash[bit >> 3]! |= 1 << (bit & 7);
  }
  return hash;
}

function contrastOf(frame: Uint8Array): number {
  const mean = frame.reduce((sum, value) => sum + value, 0) / frame.length;
  const squares = frame.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / frame.length);
}

/**
 * Returns a video's fingerprint: the concatenated hashes of its frames. The fingerprint is empty if too few frames are
 * distinct and not blank.
 */
export function fingerprintOf(hashes: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(hashes.length * HASH_BYTES);
  for (const [index, hash] of hashes.entries()) all.set(hash, index * HASH_BYTES);
  return areDistinct(wordsOf(all), [...hashes.keys()]) ? all : new Uint8Array();
}

/** Returns whether enough of the given frames are distinct and not blank. */
export function areDistinct(words: Uint32Array, frames: readonly number[]): boolean {
  const seen: number[] = [];
  for (const at of frames) {
    if (
      hasContent(words, at) &&
      seen.every((other) => hammingDistance(words, at, words, other) > MAX_DIFFERENT_BITS)
    )
      seen.push(at);
  }
  return seen.length >= MIN_DIFFERENT;
}

/** Returns the hashes as 32-bit words, for fast comparison. */
export function wordsOf(fingerprint: Uint8Array): Uint32Array {
  return new Uint32Array(new Uint8Array(fingerprint).buffer);
}

/** Returns whether two fingerprints belong to the same video: most frames of each are found in the other one. */
export function isSimilar(a: Uint32Array, b: Uint32Array): boolean {
  return isFoundIn(a, b) && isFoundIn(b, a);
}

function isFoundIn(a: Uint32Array, b: Uint32Array): boolean {
  const frames = a.length / 2;
  const others = b.length / 2;
  let showing = 0;
  for (let at = 0; at < frames; at++) if (hasContent(a, at)) showing++;
  let mayMiss = Math.floor(showing * (1 - MIN_SHARE));
  if (showing === 0) return false;
  for (let at = 0; at < frames; at++) {
    if (!hasContent(a, at)) continue;
    let isThere = false;
    const last = Math.min(others - 1, at + MAX_SHIFT);
    for (let other = Math.max(0, at - MAX_SHIFT); other <= last && !isThere; other++) {
      isThere = hasContent(b, other) && hammingDistance(a, at, b, other) <= MAX_DIFFERENT_BITS;
    }
    if (!isThere && --mayMiss < 0) return false;
  }
  return true;
}

export function hasContent(words: Uint32Array, at: number): boolean {
  return words[2 * at] !== 0 || words[2 * at + 1] !== 0;
}

export function hammingDistance(a: Uint32Array, at: number, b: Uint32Array, other: number): number {
  return popCount(a[2 * at]! ^ b[2 * other]!) + popCount(a[2 * at + 1]! ^ b[2 * other + 1]!);
}

/** Returns the number of set bits in a 32-bit value. */
function popCount(value: number): number {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The maximum share of the longer video that may be missing from a similar one. */
const MAX_LENGTH_DIFFERENCE = 0.2;

export interface FingerprintedVideo {
  videoId: string;
  seconds: number;
  /** A fingerprint, see `fingerprintOf`. */
  fingerprint: Uint8Array;
}

/** Returns the ids of similar videos. Runs in a worker thread, because it reads all videos of about the same length. */
export function readSimilarVideos(sqlite: Database) {
  const videos = sqlite.prepare<unknown[], { id: string; hashes: Buffer }>(/* sql */ `
    SELECT video_id AS id, hashes FROM video_fingerprints
    WHERE seconds BETWEEN @least AND @most AND hashes <> x'' AND video_id <> @videoId`);
  return ({ videoId, seconds, fingerprint }: FingerprintedVideo): string[] => {
    if (fingerprint.length === 0) return [];
    const own = wordsOf(fingerprint);
    const found: string[] = [];
    const lengths = {
      least: seconds * (1 - MAX_LENGTH_DIFFERENCE),
      most: seconds / (1 - MAX_LENGTH_DIFFERENCE),
    };
    for (const { id, hashes } of videos.iterate({ ...lengths, videoId })) {
      if (isSimilar(own, wordsOf(hashes))) found.push(id);
    }
    return found;
  };
}
