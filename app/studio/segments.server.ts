import { type RawBuilder, sql } from "kysely";
import { database, sqliteHandle, tryWriteTransaction } from "~db/client.server";
import type { ManageView } from "./manage-address";
import { filtered, type Order, orderOf } from "./order.server";

/**
 * The segments of the admin list's orders (migration 0130): where to begin reading for a page in
 * the middle, found by adding up what lies before it.
 */

/** A segment is left with so many videos by a split. */
const SEGMENT_VIDEOS = 1_024;
const MOST_VIDEOS = 4 * SEGMENT_VIDEOS;
/** One request splits no more, so that nobody waits long for it. */
const SPLITS_AT_ONCE = 8;

/** A place in an order, from which `skip` more videos of the view have to be passed over. */
export interface Start {
  key: string | number;
  id: string;
  skip: number;
}

/** Where the video number `offset` of a view is near, counted from the small end of its order. */
export async function findStart(view: ManageView, offset: number): Promise<Start> {
  const order = orderOf(view);
  const nearest = async () => {
    const { rows } = await sql<Start & { videos: number }>`
      SELECT key, id, ${offset} - below AS skip, videos FROM (
        SELECT key, id, sum(videos) AS videos, coalesce(
          sum(sum(videos) FILTER (WHERE ${filtered(view)})) OVER (
            ORDER BY key, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS below
        FROM ${sql.table(order.segments)} GROUP BY key, id)
      WHERE below <= ${offset} ORDER BY key DESC, id DESC LIMIT 1`.execute(database());
    // There is always a first segment.
    return rows[0]!;
  };
  let found = await nearest();
  if (found.videos > MOST_VIDEOS) {
    split(order, found);
    found = await nearest();
  }
  return found;
}

/** Only what stands at the start or after it, as a condition on `videos`. */
export function from(view: ManageView, { key, id }: Start): RawBuilder<unknown> {
  const { key: by } = orderOf(view);
  // SQLite finds the place of a pair in an index, but not of a pair with a collation.
  if (!by.includes("COLLATE")) return sql`(${sql.raw(by)}, id) >= (${key}, ${id})`;
  return sql`${sql.raw(by)} >= ${key} AND (${sql.raw(by)} > ${key} OR id >= ${id})`;
}

interface Tally {
  status: string;
  shelf: string;
  videos: number;
}

/** Leaves the first videos of a segment to it and gives the others to a new one, and so on. */
function split({ segments, key }: Order, begin: { key: string | number; id: string }): void {
  const sqlite = sqliteHandle();
  const talliesOf = sqlite.prepare(
    `SELECT status, shelf, videos FROM ${segments} WHERE (key, id) = (@key, @id)`,
  );
  const fromBegin = key.includes("COLLATE")
    ? `${key} >= @key AND (${key} > @key OR id >= @id)`
    : `(${key}, id) >= (@key, @id)`;
  const boundary = sqlite.prepare(
    `SELECT ${key} AS key, id FROM videos WHERE ${fromBegin}
     ORDER BY ${key}, id LIMIT 1 OFFSET ${SEGMENT_VIDEOS}`,
  );
  const counted = sqlite.prepare(
    `SELECT status, shelf, count(*) AS videos FROM (
       SELECT status, shelf FROM videos WHERE ${fromBegin}
       ORDER BY ${key}, id LIMIT ${SEGMENT_VIDEOS}) GROUP BY status, shelf`,
  );
  const write = sqlite.prepare(
    `INSERT INTO ${segments} (key, id, status, shelf, videos)
     VALUES (@key, @id, @status, @shelf, @videos)
     ON CONFLICT DO UPDATE SET videos = excluded.videos`,
  );
  // Put off while another process is writing: the page is right all the same, and slower.
  tryWriteTransaction(() => {
    let old = begin;
    for (let splits = 0; splits < SPLITS_AT_ONCE; splits += 1) {
      const all = talliesOf.all(old) as Tally[];
      if (all.reduce((sum, { videos }) => sum + videos, 0) <= MOST_VIDEOS) return;
      const next = boundary.get(old) as typeof begin | undefined;
      if (!next) return;
      const first = counted.all(old) as Tally[];
      for (const { status, shelf, videos } of all) {
        const kept = first.find((one) => one.status === status && one.shelf === shelf);
        write.run({ ...old, status, shelf, videos: kept?.videos ?? 0 });
        write.run({ ...next, status, shelf, videos: videos - (kept?.videos ?? 0) });
      }
      old = next;
    }
  });
}
