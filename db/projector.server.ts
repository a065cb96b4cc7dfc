import { hash } from "node:crypto";
import type { Database } from "better-sqlite3";
import { WATCHED_ABOVE, WATCHED_MUCH_ABOVE } from "~/shared/watched";
import { PUBLIC_CHANGE, toCatalogueVersion } from "./catalogue-version";
import { SERIES_TITLES, type SearchedTexts, searchIndexes } from "./search-index.server";

/**
 * The projector is the only writer of the data that is derived from `videos`: the search indexes, the totals, the views
 * per day, the change log for related videos and the catalogue's version.
 *
 * Triggers insert the id of every row that any tool changes into `video_changes`. The projector compares the row with
 * its last known state (`projected_videos`), applies the difference to the derived data and deletes the entry, all in
 * one transaction. It therefore doesn't matter if an entry is late, is a duplicate or doesn't reflect an actual change.
 */

/**
 * The number of entries that are kept in the change log for related videos. A thread that has missed more than that
 * rebuilds its index.
 */
const MAX_RELATED_CHANGES = 10_000;

interface Row {
  id: string;
  /** A 64-bit integer, stored as text because it exceeds the precision of a JavaScript number. */
  sort_key: string;
  status: string;
  public: 0 | 1;
  listed: 0 | 1;
  category: string;
  views: number;
  bytes: number;
  /** Digests of the searched text, and of all columns except counters together with the titles of series. */
  text_digest: string;
  digest: string;
}
type VideoRow = Row &
  SearchedTexts & {
    /** The size of the video's recorded files; null if there are none. */
    file_bytes: number | null;
  };

/** The projector for a connection. */
export type Projector = ReturnType<typeof createProjector>;

export function createProjector(sqlite: Database) {
  const lastOfOldest = sqlite
    .prepare<unknown[], number | null>(
      "SELECT max(seq) FROM (SELECT seq FROM video_changes ORDER BY seq LIMIT ?)",
    )
    .pluck();
  const forget = sqlite.prepare("DELETE FROM video_changes WHERE seq <= ?");
  const changed = "id IN (SELECT video_id FROM video_changes WHERE seq <= ?)";
  const read = sqlite
    .prepare<unknown[], unknown[]>(`
      SELECT id, CAST(sort_key AS TEXT), status, public, listed, category, views, bytes, title, tags,
        description, ${SERIES_TITLES}, (SELECT sum(bytes) FROM media_files WHERE video_id = videos.id), ${contentOf(sqlite)}
      FROM videos WHERE ${changed}`)
    // Reading each row as an object with a property per column would take 50% longer.
    .raw();
  const known = sqlite.prepare<unknown[], Row>(
    `SELECT *, CAST(sort_key AS TEXT) AS sort_key FROM projected_videos WHERE ${changed}`,
  );
  const remember = sqlite.prepare(`
    INSERT INTO projected_videos
      (id, sort_key, status, public, listed, category, views, bytes, text_digest, digest)
    VALUES (@id, @sort_key, @status, @public, @listed, @category, @views, @bytes, @text_digest, @digest)
    ON CONFLICT DO UPDATE SET sort_key = @sort_key, status = @status, public = @public,
      listed = @listed, category = @category, views = @views, bytes = @bytes,
      text_digest = @text_digest, digest = @digest`);
  const drop = sqlite.prepare("DELETE FROM projected_videos WHERE id = ?");
  const addTotals = sqlite.prepare(`
    INSERT INTO video_totals (status, listed, category, videos, viewed, views, bytes)
    VALUES (@status, @listed, @category, @videos, @viewed, @views, @bytes)
    ON CONFLICT DO UPDATE SET videos = videos + excluded.videos, viewed = viewed + excluded.viewed,
      views = views + excluded.views, bytes = bytes + excluded.bytes`);
  const dropEmptyTotals = sqlite.prepare("DELETE FROM video_totals WHERE videos = 0");
  const addDayViews = sqlite.prepare(`
    INSERT INTO view_days (video_id, day, views) VALUES (?, date('now'), ?)
    ON CONFLICT DO UPDATE SET views = views + excluded.views`);
  const logRelated = sqlite.prepare(
    "INSERT INTO related_changes (sort_key) SELECT value FROM json_each(?)",
  );
  const trimRelated = sqlite.prepare(`DELETE FROM related_changes
    WHERE seq <= (SELECT max(seq) FROM related_changes) - ${MAX_RELATED_CHANGES}`);
  const setBytes = sqlite.prepare("UPDATE videos SET bytes = @file_bytes WHERE id = @id");
  const addVersion = sqlite.prepare(
    "UPDATE catalogue_version SET catalogue = catalogue + @catalogue, views = views + @views",
  );
  // Use two subqueries, because they use the index: max() and min() in one SELECT would read all rows.
  const waiting = sqlite.prepare<
    unknown[],
    { last: number; count: number } | { last: null; count: null }
  >(`
    SELECT last, last - first + 1 AS count FROM (SELECT
      (SELECT max(seq) FROM video_changes) AS last, (SELECT min(seq) FROM video_changes) AS first)`);
  const version = sqlite.prepare<unknown[], { catalogue: number; views: number }>(
    "SELECT catalogue, views FROM catalogue_version",
  );
  const search = searchIndexes(sqlite);

  /** Projects the oldest `limit` changes. */
  function projectOldest(limit: number): void {
    const last = lastOfOldest.get(limit)!;
    if (last === null) return;
    const before = byId(known.all(last));
    const now = byId(read.all(last).map(toVideoRow));
    const totals = createTotals();
    const searched = new Set<string>();
    const related = new Set<string>();
    const rises = { catalogue: 0, views: 0 };
    for (const id of new Set([...before.keys(), ...now.keys()])) {
      const [was, is] = [before.get(id), now.get(id)];
      totals.add(was, -1);
      totals.add(is, 1);
      const sortKeys = [was, is].flatMap((row) => row?.sort_key ?? []);
      if (!hasSameSearchEntry(was, is)) for (const sortKey of sortKeys) searched.add(sortKey);
      if (!hasSameRelatedScore(was, is)) for (const sortKey of sortKeys) related.add(sortKey);
      if (was?.digest !== is?.digest) rises.catalogue += isSeen(was, is) ? PUBLIC_CHANGE : 1;
      else if (was?.views !== is?.views && isSeen(was, is)) rises.views += 1;
      if (was && is && is.views > was.views) addDayViews.run(id, is.views - was.views);
      // If files were recorded before the row of their video was inserted, the row doesn't contain their size yet.
      // Setting it changes the row once more.
      if (is?.bytes === 0 && is.file_bytes) setBytes.run(is);
      if (is) remember.run(is);
      else drop.run(id);
    }
    for (const sum of totals.changed()) addTotals.run(sum);
    dropEmptyTotals.run();
    logRelated.run(`[${[...related].join(",")}]`);
    trimRelated.run();
    addVersion.run(rises);
    forget.run(last);
    // Do this last, with no other statements in between. Before a statement that SQLite may have to roll back
    // individually, such as a statement with a trigger, FTS5 flushes its pending entries, and each flush has to be
    // merged later.
    search.refresh(searched, new Map([...now.values()].map((row) => [row.sort_key, row])));
  }

  /** Deletes all derived data and marks every row to be projected again. */
  function reset(): void {
    sqlite.exec(`
      DELETE FROM projected_videos;
      DELETE FROM video_totals;
      INSERT INTO video_search (video_search) VALUES ('delete-all');
      INSERT INTO video_search_short (video_search_short) VALUES ('delete-all');
      INSERT INTO video_words (video_words) VALUES ('delete-all');
      INSERT INTO video_changes (video_id) SELECT id FROM videos ORDER BY sort_key;`);
  }

  return {
    reset: sqlite.transaction(reset).immediate,

    /** Projects the oldest changes, up to a limit, in a single transaction. */
    run: sqlite.transaction(projectOldest).immediate,

    /** Returns the last pending change and an upper bound on the number of pending changes. */
    waiting: () => waiting.get()!,

    version: () => toCatalogueVersion(version.get()!),
  };
}

/** Projects all changes. Use this if no other process is using the database. */
export function projectAll({ run, waiting }: Projector): void {
  while (waiting().last !== null) run(20_000);
}

/** Returns the columns of `videos`, except counters. */
function contentOf(sqlite: Database): string {
  const columns = sqlite.pragma("table_info(videos)") as { name: string }[];
  return columns
    .map(({ name }) => name)
    .filter((name) => name !== "views" && name !== "bytes")
    .join(", ");
}

function toVideoRow(columns: unknown[]): VideoRow {
  const [id, sort_key, status, isPublic, listed, category, views, bytes, ...rest] = columns;
  const [title, tags, description, series, file_bytes, ...content] = rest;
  return {
    ...({ id, sort_key, status, public: isPublic, listed, category, views, bytes } as Row),
    ...({ title, tags, description, series, file_bytes } as Omit<VideoRow, keyof Row>),
    text_digest: digestOf([title, tags, category, description, series]),
    digest: digestOf([...content, series]),
  };
}

function digestOf(values: unknown[]): string {
  return hash("sha256", JSON.stringify(values), "base64").slice(0, 16);
}

function byId<R extends Row>(rows: R[]): Map<string, R> {
  return new Map(rows.map((row) => [row.id, row]));
}

function hasSameSearchEntry(was: Row | undefined, is: Row | undefined): boolean {
  return was?.text_digest === is?.text_digest && was?.sort_key === is?.sort_key;
}

/** Whether a video's score as a related video is unchanged. Unlisted videos are never related videos. */
function hasSameRelatedScore(was: Row | undefined, is: Row | undefined): boolean {
  const [before, now] = [was, is].map((row) => (row?.listed ? row : undefined));
  if (!before || !now) return before === now;
  return (
    hasSameSearchEntry(before, now) &&
    before.category === now.category &&
    viewTier(before.views) === viewTier(now.views)
  );
}

/** Whether the video was public before the change, is public now, or both. */
function isSeen(was: Row | undefined, is: Row | undefined): boolean {
  return was?.public === 1 || is?.public === 1;
}

/** Returns how many of the two view thresholds of the related score a video exceeds. */
function viewTier(views: number): number {
  return Number(views > WATCHED_ABOVE) + Number(views > WATCHED_MUCH_ABOVE);
}

const SUMMED = ["videos", "viewed", "views", "bytes"] as const;

/** Creates a collector for changes to the totals by status, listing and category. */
function createTotals() {
  const sums = new Map<string, ReturnType<typeof share>>();
  return {
    add(row: Row | undefined, sign: 1 | -1): void {
      if (!row) return;
      const key = `${row.status}\n${row.listed}\n${row.category}`;
      const change = share(row, sign);
      const sum = sums.get(key);
      if (!sum) sums.set(key, change);
      else for (const column of SUMMED) sum[column] += change[column];
    },

    changed: () => [...sums.values()].filter((sum) => SUMMED.some((column) => sum[column] !== 0)),
  };
}

/** Returns the amounts that a video adds to or subtracts from the totals. */
function share({ status, listed, category, views, bytes }: Row, sign: 1 | -1) {
  return {
    status,
    listed,
    category,
    videos: sign,
    viewed: views > 0 ? sign : 0,
    views: sign * views,
    bytes: sign * bytes,
  };
}
