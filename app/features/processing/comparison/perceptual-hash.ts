import type { Database } from "better-sqlite3";

/** Pixels on a side of the grey pictures that are hashed. */
export const HASHED_SIDE = 32;
/** Coefficients on a side of the hash. */
const LOW = 8;
/** Pictures of a video. */
export const PICTURES = 16;
export const HASH_BYTES = 8;
/** Standard deviation of the brightness, of 255: below it a picture shows nothing, as black does. */
const MIN_CONTRAST = 8;
/** Bits of 64 in which two pictures of the same scene may differ; pictures of others differ in about 32. */
export const SAME_BITS = 10;
/** Of its pictures; a video with fewer that differ is a still or a test card, which looks like many others. */
const MIN_DIFFERENT = 4;
/** Of the pictures of either video, that are found in the other. */
const MIN_SHARE = 0.6;
/** A video whose beginning was cut off has a picture later or earlier by so many. */
const SHIFT = 2;

const cosines = Array.from({ length: LOW }, (_, frequency) =>
  Array.from({ length: HASHED_SIDE }, (_, at) =>
    Math.cos(((2 * at + 1) * frequency * Math.PI) / (2 * HASHED_SIDE)),
  ),
);

/**
 * The hash of a picture (pHash): which of the 64 lowest frequencies of its cosine transform are above
 * their median. The first, its brightness, does not count.
 *
 * @param picture HASHED_SIDE by HASHED_SIDE grey pixels of one byte.
 * @returns 8 bytes; all 0 for a picture that shows nothing.
 */
export function perceptualHash(picture: Uint8Array): Uint8Array {
  return hashesOfBothSides(picture)[0];
}

/** The hash of a picture, and that of its mirror image, whose odd frequencies have the other sign. */
export function hashesOfBothSides(picture: Uint8Array): [Uint8Array, Uint8Array] {
  if (contrastOf(picture) < MIN_CONTRAST)
    return [new Uint8Array(HASH_BYTES), new Uint8Array(HASH_BYTES)];
  const coefficients = frequenciesOf(picture);
  const mirrored = coefficients.map((value, at) => ((at % LOW) % 2 === 1 ? -value : value));
  return [hashOf(coefficients), hashOf(mirrored)];
}

function frequenciesOf(picture: Uint8Array): number[] {
  const rows: number[][] = [];
  for (let y = 0; y < HASHED_SIDE; y++) {
    const row = picture.subarray(y * HASHED_SIDE, (y + 1) * HASHED_SIDE);
    rows.push(cosines.map((cosine) => row.reduce((sum, value, x) => sum + value * cosine[x]!, 0)));
  }
  const coefficients: number[] = [];
  for (let v = 0; v < LOW; v++) {
    for (let u = 0; u < LOW; u++) {
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

function contrastOf(picture: Uint8Array): number {
  const mean = picture.reduce((sum, value) => sum + value, 0) / picture.length;
  const squares = picture.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / picture.length);
}

/**
 * The fingerprint of a video: the hashes of its pictures, one behind the other. Empty when too few of
 * them show anything, or nothing but the same.
 */
export function fingerprintOf(hashes: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(hashes.length * HASH_BYTES);
  for (const [index, hash] of hashes.entries()) all.set(hash, index * HASH_BYTES);
  return differ(wordsOf(all), [...hashes.keys()]) ? all : new Uint8Array();
}

/** Whether enough of some pictures show something, and differ from each other. */
export function differ(words: Uint32Array, pictures: readonly number[]): boolean {
  const seen: number[] = [];
  for (const at of pictures) {
    if (shows(words, at) && seen.every((other) => distance(words, at, words, other) > SAME_BITS))
      seen.push(at);
  }
  return seen.length >= MIN_DIFFERENT;
}

/** A fingerprint as it is compared. */
export function wordsOf(fingerprint: Uint8Array): Uint32Array {
  return new Uint32Array(new Uint8Array(fingerprint).buffer);
}

/** Whether two videos, by their fingerprints, show the same: most pictures of each are in the other. */
export function looksAlike(a: Uint32Array, b: Uint32Array): boolean {
  return isFoundIn(a, b) && isFoundIn(b, a);
}

function isFoundIn(a: Uint32Array, b: Uint32Array): boolean {
  const pictures = a.length / 2;
  const others = b.length / 2;
  let showing = 0;
  for (let at = 0; at < pictures; at++) if (shows(a, at)) showing++;
  let mayMiss = Math.floor(showing * (1 - MIN_SHARE));
  if (showing === 0) return false;
  for (let at = 0; at < pictures; at++) {
    if (!shows(a, at)) continue;
    let isThere = false;
    const last = Math.min(others - 1, at + SHIFT);
    for (let other = Math.max(0, at - SHIFT); other <= last && !isThere; other++) {
      isThere = shows(b, other) && distance(a, at, b, other) <= SAME_BITS;
    }
    if (!isThere && --mayMiss < 0) return false;
  }
  return true;
}

export function shows(words: Uint32Array, at: number): boolean {
  return words[2 * at] !== 0 || words[2 * at + 1] !== 0;
}

export function distance(a: Uint32Array, at: number, b: Uint32Array, other: number): number {
  return bits(a[2 * at]! ^ b[2 * other]!) + bits(a[2 * at + 1]! ^ b[2 * other + 1]!);
}

/** Bits that are set in 32. */
function bits(value: number): number {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Of the longer one: what a video may lack of another that it looks like. */
const MAX_CUT = 0.2;

export interface FingerprintedVideo {
  videoId: string;
  seconds: number;
  /** See `fingerprintOf`. */
  fingerprint: Uint8Array;
}

/** Returns the ids of the videos that look like one. Runs on a thread: it reads those of about its length. */
export function readSimilarVideos(sqlite: Database) {
  const videos = sqlite.prepare<unknown[], { id: string; hashes: Buffer }>(/* sql */ `
    SELECT video_id AS id, hashes FROM video_fingerprints
    WHERE seconds BETWEEN @least AND @most AND hashes <> x'' AND video_id <> @videoId`);
  return ({ videoId, seconds, fingerprint }: FingerprintedVideo): string[] => {
    if (fingerprint.length === 0) return [];
    const own = wordsOf(fingerprint);
    const found: string[] = [];
    const lengths = { least: seconds * (1 - MAX_CUT), most: seconds / (1 - MAX_CUT) };
    for (const { id, hashes } of videos.iterate({ ...lengths, videoId })) {
      if (looksAlike(own, wordsOf(hashes))) found.push(id);
    }
    return found;
  };
}
