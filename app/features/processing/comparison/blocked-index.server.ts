import type { Database } from "better-sqlite3";
import { type Frames, similarity, VARIANTS } from "./frame-hashes";
import { hammingDistance, hasContent, wordsOf } from "./perceptual-hash";

/** Only every other frame of a video is indexed, and only in the middle crop variant. */
const INDEXED_EVERY = 2;
const INDEXED_VARIANT = 1;
/**
 * Hashes are indexed by their parts: five parts of 12 bits each. Similar hashes nearly always share at least one part.
 */
const PART_BITS = 12;
const PARTS = 5;
/** This tolerance is larger than the one for identical frames, because the crops and the timestamps may differ. */
const NEAR_BITS = 14;
/** The number of frames that must be similar to a blocked video's frames for the two videos to be compared in full. */
const MIN_NEAR_FRAMES = 2;
const MAX_COMPARED = 50;

interface BlockedRow {
  id: number;
  first: number;
  step: number;
  frames: Buffer;
}

export interface BlockListIndex {
  ids: number[];
  hashes: Uint32Array;
  /** The owner of each hash, as an index into `ids`. */
  entries: Uint32Array;
  parts: IndexedPart[];
}

/** The hashes with a given value of this part are in `order`, from `starts[value]` up to `starts[value + 1]`. */
interface IndexedPart {
  starts: Uint32Array;
  order: Uint32Array;
}

/**
 * Returns the ids of the blocked videos that a video resembles, based on hashes from hashComparedFrame(). Runs in a
 * worker thread, which keeps an index and rebuilds it when the list has changed.
 */
export function readBlockedVideos(sqlite: Database) {
  // Reading 10,000 rows takes 30 ms. The index may contain deleted or removed entries, which are skipped, but kept in
  // case they are restored to the list. An entry's frames only change when it leaves the `waiting` state.
  const version = sqlite
    .prepare(
      `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'blocked_videos'), 0) || ' ' ||
         (SELECT count(*) FROM blocked_videos WHERE state = 'waiting')`,
    )
    .pluck();
  const all = sqlite.prepare<[], BlockedRow>(
    "SELECT id, first, step, frames FROM blocked_videos WHERE frames <> x''",
  );
  let index: { version: string; entries: BlockListIndex } | undefined;
  return (frames: Frames): number[] => {
    const now = String(version.get());
    if (index?.version !== now) index = { version: now, entries: createIndex(all.iterate()) };
    return findInIndex(sqlite, index.entries, frames);
  };
}

/** Returns the ids of the indexed videos that a video resembles. */
function findInIndex(sqlite: Database, index: BlockListIndex, frames: Frames): number[] {
  const one = sqlite.prepare<[number], BlockedRow>(
    "SELECT id, first, step, frames FROM blocked_videos WHERE id = ? AND removed_at IS NULL",
  );
  return candidates(index, frames).filter((id) => {
    const row = one.get(id);
    return row !== undefined && similarity(frames, { ...row, hashes: row.frames }) > 0;
  });
}

/** Creates an index of blocked videos. */
function createIndex(rows: Iterable<BlockedRow>): BlockListIndex {
  const ids: number[] = [];
  const hashes: number[] = [];
  const entries: number[] = [];
  for (const { id, frames } of rows) {
    const words = wordsOf(frames);
    const entry = ids.push(id) - 1;
    for (let frame = 0; frame < words.length / (2 * VARIANTS); frame += INDEXED_EVERY) {
      const at = frame * VARIANTS + INDEXED_VARIANT;
      const known = hasContent(words, at) ? at : frame * VARIANTS;
      if (!hasContent(words, known)) continue;
      hashes.push(words[2 * known]!, words[2 * known + 1]!);
      entries.push(entry);
    }
  }
  const words = Uint32Array.from(hashes);
  const parts = Array.from({ length: PARTS }, (_, part) => indexPart(words, entries.length, part));
  return { ids, hashes: words, entries: Uint32Array.from(entries), parts };
}

/** Sorts the hashes by the value of a part, using a counting sort. A map of arrays would take twice the memory. */
function indexPart(words: Uint32Array, count: number, part: number): IndexedPart {
  const starts = new Uint32Array(2 ** PART_BITS + 1);
  for (let at = 0; at < count; at++) starts[partValue(words, at, part) + 1]! += 1;
  for (let value = 0; value < 2 ** PART_BITS; value++) starts[value + 1]! += starts[value]!;
  const order = new Uint32Array(count);
  const next = starts.slice();
  for (let at = 0; at < count; at++) order[next[partValue(words, at, part)]!++] = at;
  return { starts, order };
}

/** Returns the bits of a hash part. The four lowest bits of the hash are skipped; the first of them is always 0. */
function partValue(words: Uint32Array, at: number, part: number): number {
  const bit = 4 + part * PART_BITS;
  const word = words[2 * at + (bit >> 5)]!;
  const low = word >>> (bit & 31);
  const taken = 32 - (bit & 31);
  const value = taken < PART_BITS ? low | (words[2 * at + 1]! << taken) : low;
  return value & (2 ** PART_BITS - 1);
}

/** Returns the ids of the blocked videos that have the most frames similar to the video's frames. */
function candidates(
  { ids, hashes, entries, parts }: BlockListIndex,
  { hashes: own }: Frames,
): number[] {
  const words = wordsOf(own);
  const near = [new Map<number, number>(), new Map<number, number>()];
  for (let at = 0; at < words.length / 2; at++) {
    if (!hasContent(words, at)) continue;
    const seen = new Set<number>();
    for (const [part, { starts, order }] of parts.entries()) {
      const value = partValue(words, at, part);
      for (const other of order.subarray(starts[value], starts[value + 1])) {
        if (hammingDistance(words, at, hashes, other) <= NEAR_BITS) seen.add(entries[other]!);
      }
    }
    const side = near[at % 2]!;
    for (const entry of seen) side.set(entry, (side.get(entry) ?? 0) + 1);
  }
  const most = new Map<number, number>();
  for (const side of near) {
    for (const [entry, count] of side) most.set(entry, Math.max(count, most.get(entry) ?? 0));
  }
  return [...most]
    .filter(([, count]) => count >= MIN_NEAR_FRAMES)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_COMPARED)
    .map(([entry]) => ids[entry]!);
}

/** The number of videos compared per query, so that other queries can run in between. */
const BATCH_SIZE = 500;

interface ComparisonQuery {
  /** The ids of the first and the last entry. If `to` isn't set, all entries after the first are included. */
  from: number;
  to?: number;
  /** Only videos with ids after this one are compared. */
  after: string;
}

export interface ComparisonBatch {
  found: { videoId: string; blockedVideos: number[] }[];
  last: string | undefined;
}

/** Returns the site's videos that resemble some of the entries on the list. Runs in a worker thread. */
export function readVideosLikeBlocked(sqlite: Database) {
  const videos = sqlite.prepare<[string], Frames & { id: string }>(
    `SELECT video_id AS id, first, step, frames AS hashes FROM video_frames
     WHERE video_id > ? ORDER BY video_id LIMIT ${BATCH_SIZE}`,
  );
  const entries = sqlite.prepare<
    [number, number],
    { id: number; first: number; step: number; frames: Buffer }
  >(
    "SELECT id, first, step, frames FROM blocked_videos WHERE id BETWEEN ? AND ? AND frames <> x''",
  );
  let index: { from: number; to: number; entries: ReturnType<typeof createIndex> } | undefined;
  return ({ from, to = Number.MAX_SAFE_INTEGER, after }: ComparisonQuery): ComparisonBatch => {
    if (after === "" || index?.from !== from || index.to !== to)
      index = { from, to, entries: createIndex(entries.iterate(from, to)) };
    const rows = videos.all(after);
    const found = rows
      .map((row) => ({ videoId: row.id, blockedVideos: findInIndex(sqlite, index!.entries, row) }))
      .filter(({ blockedVideos }) => blockedVideos.length > 0);
    const last = rows.length < BATCH_SIZE ? undefined : rows.at(-1)?.id;
    if (last === undefined) index = undefined;
    return { found, last };
  };
}
