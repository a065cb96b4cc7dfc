import type { Database } from "better-sqlite3";
import { toCategoryId } from "~/shared/categories";
import { type IndexedVideo, relatedIndex } from "./related-index";

/** A request to the thread that finds related videos. */
export interface RelatedQuery {
  id: string;
  /** Unix time in milliseconds. */
  now: number;
}

export interface RelatedResult {
  /** Best first. */
  sortKeys: bigint[];
  /** False while the index is loading. In that case, only the videos loaded so far were compared. */
  complete: boolean;
}

/** Extra capacity for new videos, in addition to half the current number of videos. */
const SPARE_CAPACITY = 4_096;
/** The number of rows to read per step. */
const CHUNK = 2_000;
/**
 * How long a request waits for the index to load. After that, it uses the videos loaded so far, which are the newest.
 */
const MAX_WAIT_MS = 80;

interface Loading {
  index: ReturnType<typeof relatedIndex>;
  /** The exclusive upper bound for the sort keys in the next step. */
  below: bigint;
  /** The last change that the index is certain to contain. */
  seq: bigint;
}

const COLUMNS = "sort_key AS sortKey, title, category, tags, min(views, 1000000) AS views";

interface FollowedIndex {
  index: ReturnType<typeof relatedIndex>;
  complete: boolean;
}

const followed = new WeakMap<Database, () => FollowedIndex>();

/** Returns the up-to-date index for a database connection. Must be called within a transaction. */
function listedIndex(sqlite: Database): () => FollowedIndex {
  const current = followed.get(sqlite) ?? followIndex(sqlite);
  followed.set(sqlite, current);
  return current;
}

/**
 * Loads all listed videos into memory, newest first, then applies the change log. If the log no longer goes back far
 * enough or the index is full, all videos are loaded again, and the old index serves requests in the meantime.
 */
function followIndex(sqlite: Database): () => FollowedIndex {
  sqlite.defaultSafeIntegers(true);
  const listed = `SELECT ${COLUMNS} FROM videos INDEXED BY videos_listed
    WHERE listed`;
  const chunk = sqlite.prepare(`${listed} AND sort_key < ? ORDER BY sort_key DESC LIMIT ${CHUNK}`);
  const one = sqlite.prepare(`${listed} AND sort_key = ?`);
  const ends = sqlite.prepare<unknown[], { first: bigint; last: bigint }>(
    "SELECT coalesce(min(seq), 1) AS first, coalesce(max(seq), 0) AS last FROM related_changes",
  );
  const changes = sqlite
    .prepare<unknown[], bigint>("SELECT sort_key FROM related_changes WHERE seq > ? ORDER BY seq")
    .pluck();
  const listedTotal = sqlite.prepare("SELECT sum(videos) FROM video_totals WHERE listed").pluck();
  const logEnds = () => ends.get()!;

  let ready: Pick<Loading, "index" | "seq"> | undefined;
  let loading: Loading | undefined;

  function startLoading(): void {
    const capacity = Math.ceil(Number(listedTotal.get()) * 1.5) + SPARE_CAPACITY;
    loading = { index: relatedIndex(capacity), below: 2n ** 63n - 1n, seq: logEnds().last };
    setImmediate(loadInBackground);
  }

  function loadSome(): void {
    if (!loading) return;
    const rows = chunk.all(loading.below).map(video);
    for (const row of rows) loading.index.put(row);
    const last = rows.at(-1);
    if (last) loading.below = last.sortKey;
    if (rows.length === CHUNK) return;
    ready = loading;
    loading = undefined;
  }

  function loadInBackground(): void {
    loadSome();
    if (loading) setImmediate(loadInBackground);
  }

  /** Applies the changes. Returns false if the log doesn't go back far enough. */
  function follow(state: Pick<Loading, "index" | "seq">): boolean {
    const { first, last } = logEnds();
    if (last < state.seq || first > state.seq + 1n) return false;
    for (const sortKey of changes.iterate(state.seq)) {
      state.index.remove(sortKey);
      const row = one.get(sortKey);
      if (row) state.index.put(video(row));
    }
    state.seq = last;
    return true;
  }

  return () => {
    if (!ready && !loading) startLoading();
    if (ready && (!follow(ready) || ready.index.isFull()) && !loading) startLoading();
    const deadline = performance.now() + MAX_WAIT_MS;
    while (loading && performance.now() < deadline) loadSome();
    if (ready) follow(ready);
    return { index: (ready ?? loading)!.index, complete: loading === undefined };
  };
}

function video(row: unknown): IndexedVideo {
  const read = row as Omit<IndexedVideo, "views"> & { views: bigint };
  const category = toCategoryId(read.category) ?? read.category;
  return { ...read, category, views: Number(read.views) };
}

/** Returns a function that finds related videos on one database connection. */
export function relatedHits(sqlite: Database): (query: RelatedQuery) => RelatedResult {
  const listed = listedIndex(sqlite);
  const subject = sqlite.prepare(`SELECT ${COLUMNS} FROM videos WHERE id = ? AND public`);
  return sqlite.transaction(({ id, now }) => {
    const { index, complete } = listed();
    const row = subject.get(id);
    return { sortKeys: row ? index.best(video(row), now) : [], complete };
  });
}

// The queries below look up tags and words in the same in-memory index.

/** Wraps a function that uses the index, so that it can be called with a database connection. */
function onIndex<Query, Result>(
  run: (query: Query, published: FollowedIndex) => Result,
): (sqlite: Database) => (query: Query) => Result {
  return (sqlite) => {
    const published = listedIndex(sqlite);
    return sqlite.transaction((query: Query) => run(query, published()));
  };
}

export interface MatchingTagsQuery {
  /** Folded, not empty. */
  needle: string;
  limit: number;
}

/** Returns the tags that contain a text, see {@link relatedIndex}. */
export const matchingTags = onIndex(({ needle, limit }: MatchingTagsQuery, { index }) =>
  index.tagsWith(needle, limit),
);

/** The time limit for finding similar text. It is needed because other requests are waiting for the thread. */
const NEAREST_WITHIN_MS = 60;

/** Returns suggestions for a folded text that has no matches. */
export const nearestTexts = onIndex(({ needle }: { needle: string }, { index }) =>
  index.nearestTexts(needle, performance.now() + NEAREST_WITHIN_MS),
);
