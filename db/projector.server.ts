import { hash } from "node:crypto";
import type { Database } from "better-sqlite3";
import { WATCHED_ABOVE, WATCHED_MUCH_ABOVE } from "~/shared/watched";
import { searchIndexes } from "./search-index.server";

/**
 * The one writer of everything that is derived from `videos`: the search indexes, the totals, the
 * views of a day, the log for related videos and the version of the catalogue.
 *
 * Triggers note the id of every row that anyone changes in `video_changes`. The projector compares
 * such a row with what it knew of it (`projected_videos`), corrects what follows from the difference
 * and removes the note, all in one transaction. So a note may come late, twice or for nothing.
 */

/** Changes between two looks at the clock: two milliseconds' worth. */
const BATCH = 16;
/** Changes that the thread of related videos can follow; with more it reads everything anew. */
const RELATED_CHANGES_LEFT = 10_000;

interface Row {
  /** A 64-bit number, as text: it is too long for a number of JavaScript. */
  sort_key: string;
  status: string;
  category: string;
  views: number;
  bytes: number;
}
/** With digests of what is searched and of all columns that do not only count. */
type Projected = Row & { text_digest: string; digest: string };
type VideoRow = Row & {
  id: string;
  title: string;
  tags: string | null;
  /** Of the files that are recorded for it; null without any. */
  file_bytes: number | null;
};

/** The projector of a connection. */
export type Projector = ReturnType<typeof createProjector>;

export function createProjector(sqlite: Database) {
  const notes = sqlite.prepare("SELECT seq, video_id FROM video_changes ORDER BY seq LIMIT ?");
  const forget = sqlite.prepare("DELETE FROM video_changes WHERE seq <= ?");
  const read = sqlite.prepare(`
    SELECT *, CAST(sort_key AS TEXT) AS sort_key,
      (SELECT sum(bytes) FROM media_files WHERE video_id = videos.id) AS file_bytes
    FROM videos WHERE id = ?`);
  const known = sqlite.prepare(
    "SELECT *, CAST(sort_key AS TEXT) AS sort_key FROM projected_videos WHERE id = ?",
  );
  const remember = sqlite.prepare(`
    REPLACE INTO projected_videos
      (id, sort_key, status, category, views, bytes, text_digest, digest)
    VALUES (@id, @sort_key, @status, @category, @views, @bytes, @text_digest, @digest)`);
  const drop = sqlite.prepare("DELETE FROM projected_videos WHERE id = ?");
  const addTotals = sqlite.prepare(`
    INSERT INTO video_totals (status, category, videos, viewed, views, bytes)
    VALUES (@status, @category, @videos, @viewed, @views, @bytes)
    ON CONFLICT DO UPDATE SET videos = videos + excluded.videos, viewed = viewed + excluded.viewed,
      views = views + excluded.views, bytes = bytes + excluded.bytes`);
  const dropEmptyTotals = sqlite.prepare("DELETE FROM video_totals WHERE videos = 0");
  const addDayViews = sqlite.prepare(`
    INSERT INTO view_days (video_id, day, views) VALUES (?, date('now'), ?)
    ON CONFLICT DO UPDATE SET views = views + excluded.views`);
  const noteRelated = sqlite.prepare(
    "INSERT INTO related_changes (sort_key) VALUES (CAST(? AS INTEGER))",
  );
  const trimRelated = sqlite.prepare(`DELETE FROM related_changes
    WHERE seq <= (SELECT max(seq) FROM related_changes) - ${RELATED_CHANGES_LEFT}`);
  const setBytes = sqlite.prepare("UPDATE videos SET bytes = @file_bytes WHERE id = @id");
  const addVersion = sqlite.prepare(
    "UPDATE catalogue_version SET catalogue = catalogue + ?, views = views + ?",
  );
  const waiting = sqlite.prepare(
    "SELECT max(seq) AS last, max(seq) - min(seq) + 1 AS count FROM video_changes",
  );
  const version = sqlite.prepare("SELECT catalogue, views FROM catalogue_version");
  const search = searchIndexes(sqlite);
  /** By status and category: what a run adds to the totals at its end. */
  const changedTotals = new Map<string, ReturnType<typeof share>>();

  /** Takes a row as it is now into account; which version rises by that, if any. */
  function project(id: string): "catalogue" | "views" | undefined {
    const before = known.get(id) as Projected | undefined;
    const row = read.get(id) as VideoRow | undefined;
    const now = row && { ...row, ...digestsOf(row) };
    if (!before && !now) return undefined;
    const isFoundAsBefore =
      before?.text_digest === now?.text_digest && before?.sort_key === now?.sort_key;
    if (!isFoundAsBefore) for (const sortKey of sortKeysOf(before, now)) search.refresh(sortKey);
    changeRelated(before, now, isFoundAsBefore && before?.category === now?.category);
    changeTotals(before, -1);
    changeTotals(now, 1);
    if (before && now && now.views > before.views) addDayViews.run(id, now.views - before.views);
    // Files may be recorded before their row is there. This is one more change of the row.
    if (now?.bytes === 0 && now.file_bytes) setBytes.run(now);
    if (now) remember.run(now);
    else drop.run(id);
    if (before?.digest !== now?.digest) return "catalogue";
    return before?.views !== now?.views ? "views" : undefined;
  }

  function changeTotals(row: Row | undefined, sign: 1 | -1): void {
    if (!row) return;
    const change = share(row, sign);
    const key = JSON.stringify([row.status, row.category]);
    const sum = changedTotals.get(key);
    if (!sum) changedTotals.set(key, change);
    else for (const column of SUMMED) sum[column] += change[column];
  }

  function writeTotals(): void {
    for (const sum of changedTotals.values()) {
      if (SUMMED.some((column) => sum[column] !== 0)) addTotals.run(sum);
    }
    dropEmptyTotals.run();
  }

  function changeRelated(
    before: Projected | undefined,
    now: Projected | undefined,
    isAsBefore: boolean,
  ): void {
    const was = before?.status === "published" ? before : undefined;
    const is = now?.status === "published" ? now : undefined;
    const scoresAsBefore = was && is && isAsBefore && watched(was.views) === watched(is.views);
    if (!scoresAsBefore) for (const sortKey of sortKeysOf(was, is)) noteRelated.run(sortKey);
  }

  /** Takes the oldest changes into account; false when there is none. */
  function projectOldest(): boolean {
    const some = notes.all(BATCH) as { seq: number; video_id: string }[];
    const last = some.at(-1);
    if (!last) return false;
    const rises = [...new Set(some.map(({ video_id }) => video_id))].map(project);
    const count = (kind: "catalogue" | "views") => rises.filter((rise) => rise === kind).length;
    forget.run(last.seq);
    addVersion.run(count("catalogue"), count("views"));
    return true;
  }

  /** Forgets all derived data and has every row looked at anew. */
  function startAnew(): void {
    sqlite.exec(`
      DELETE FROM projected_videos;
      DELETE FROM video_totals;
      INSERT INTO video_search (video_search) VALUES ('delete-all');
      INSERT INTO video_search_short (video_search_short) VALUES ('delete-all');
      INSERT INTO video_changes (video_id) SELECT id FROM videos ORDER BY sort_key;`);
  }

  return {
    startAnew: sqlite.transaction(startAnew).immediate,

    /** Takes changes into account, in one transaction, until none is left or the time is up. */
    run: sqlite.transaction((milliseconds: number): void => {
      const deadline = performance.now() + milliseconds;
      changedTotals.clear();
      while (projectOldest() && performance.now() < deadline);
      writeTotals();
      trimRelated.run();
    }).immediate,

    /** The last change that waits to be taken into account, and how many wait at most. */
    waiting: () => waiting.get() as { last: number; count: number } | { last: null; count: null },

    version: () => version.get() as { catalogue: number; views: number },
  };
}

function sortKeysOf(before: Row | undefined, now: Row | undefined): Set<string> {
  return new Set([before, now].flatMap((row) => row?.sort_key ?? []));
}

const SUMMED = ["videos", "viewed", "views", "bytes"] as const;

/** What a video contributes to the totals, or takes away from them. */
function share({ status, category, views, bytes }: Row, sign: 1 | -1) {
  return {
    status,
    category,
    videos: sign,
    viewed: views > 0 ? sign : 0,
    views: sign * views,
    bytes: sign * bytes,
  };
}

function watched(views: number): number {
  return Number(views > WATCHED_ABOVE) + Number(views > WATCHED_MUCH_ABOVE);
}

function digestsOf(row: VideoRow): { text_digest: string; digest: string } {
  const { views: _, bytes: __, file_bytes: ___, ...content } = row;
  return { text_digest: digestOf([row.title, row.tags]), digest: digestOf(Object.values(content)) };
}

function digestOf(values: unknown[]): string {
  return hash("sha256", JSON.stringify(values), "base64").slice(0, 16);
}
