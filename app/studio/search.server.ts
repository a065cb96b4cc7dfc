import { type RawBuilder, type SqlBool, sql } from "kysely";
import { database, sqliteHandle } from "~db/client.server";
import type { ManageView } from "./manage-address";
import { filtered, inOrder, MANAGE_PAGE_SIZE, orderBy } from "./order.server";

/**
 * A search with at most so many matches is collected from the text index and sorted. One with more
 * finds its next match soon enough by walking the order; its list ends there all the same.
 */
export const SEARCH_MOST = 4_000;
/** The text index knows no shorter texts; they are looked for in the first rows of the order. */
const SHORTEST_INDEXED = 3;
const SHORT_LOOKS_AT = 50_000;

export interface Found {
  ids: string[];
  total: number;
  /** There are more matches than `total`, which the list does not go on to. */
  more: boolean;
}

/** The ids of one page of what matches: a title or a tag that holds the text, whatever its case. */
export async function searchPage(view: ManageView): Promise<Found> {
  const needle = view.search.toLowerCase();
  if ([...needle].length >= SHORTEST_INDEXED && (await isRare(needle))) {
    return collect(view, needle);
  }
  return walk(view, needle);
}

/** Every id that matches, in no order, at most `most`. */
export async function searchAll(view: ManageView, most: number): Promise<string[]> {
  const needle = view.search.toLowerCase();
  const indexed = [...needle].length >= SHORTEST_INDEXED;
  const source = indexed ? collected(needle, -1) : sql`videos`;
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM ${source} WHERE ${filtered(view)} AND ${holds(needle)}
    LIMIT ${most}`.execute(database());
  return rows.map(({ id }) => id);
}

async function isRare(needle: string): Promise<boolean> {
  const { rows } = await sql<{ matches: number }>`
    SELECT count(*) AS matches FROM (
      SELECT 1 FROM managed_text WHERE managed_text MATCH ${phrase(needle)}
      LIMIT ${SEARCH_MOST + 1})`.execute(database());
  return (rows[0]?.matches ?? 0) <= SEARCH_MOST;
}

async function collect(view: ManageView, needle: string): Promise<Found> {
  const page = (offset: number) =>
    sql<{ id: string; total: number }>`
      SELECT id, count(*) OVER () AS total FROM ${collected(needle, SEARCH_MOST)}
      WHERE ${filtered(view)} AND ${holds(needle)}
      ${orderBy(view)} LIMIT ${MANAGE_PAGE_SIZE} OFFSET ${offset}`.execute(database());
  let { rows } = await page((view.page - 1) * MANAGE_PAGE_SIZE);
  if (rows.length === 0 && view.page > 1) {
    // Past the end: the last page there is.
    const total = (await page(0)).rows[0]?.total ?? 0;
    rows = (await page(Math.max(0, Math.ceil(total / MANAGE_PAGE_SIZE) - 1) * MANAGE_PAGE_SIZE))
      .rows;
  }
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0, more: false };
}

async function walk(view: ManageView, needle: string): Promise<Found> {
  const looksAt = [...needle].length < SHORTEST_INDEXED ? SHORT_LOOKS_AT : -1;
  const matching = (limit: number, offset: number) =>
    sql<{ id: string }>`
      SELECT id FROM (SELECT id, title, tags FROM videos ${inOrder(view)} WHERE ${filtered(view)}
        ${orderBy(view)} LIMIT ${looksAt})
      WHERE ${holds(needle)} LIMIT ${limit} OFFSET ${offset}`.execute(database());
  const offset = (view.page - 1) * MANAGE_PAGE_SIZE;
  if (offset < SEARCH_MOST) {
    // One more than the page, to know whether the list goes on.
    const { rows } = await matching(MANAGE_PAGE_SIZE + 1, offset);
    const ids = rows.slice(0, MANAGE_PAGE_SIZE).map(({ id }) => id);
    if (rows.length > MANAGE_PAGE_SIZE) return { ids, total: SEARCH_MOST, more: true };
    if (rows.length > 0 || offset === 0) return { ids, total: offset + ids.length, more: false };
  }
  const { rows } = await matching(SEARCH_MOST, 0);
  const start = Math.max(0, Math.ceil(rows.length / MANAGE_PAGE_SIZE) - 1) * MANAGE_PAGE_SIZE;
  const ids = rows.slice(start).map(({ id }) => id);
  return { ids, total: rows.length, more: rows.length === SEARCH_MOST };
}

function collected(needle: string, limit: number): RawBuilder<unknown> {
  return sql`(SELECT rowid AS number FROM managed_text
    WHERE managed_text MATCH ${phrase(needle)} LIMIT ${limit}) AS found
    CROSS JOIN videos ON videos.rowid = found.number`;
}

function phrase(needle: string): string {
  return `"${needle.replaceAll("\0", "").replaceAll('"', '""')}"`;
}

/** SQLite's own lower() knows ASCII alone, so the comparison is JavaScript's. */
function holds(needle: string): RawBuilder<SqlBool> {
  registerHolds();
  return sql`video_holds(title, tags, ${needle})`;
}

const registered = new WeakSet<object>();

function registerHolds(): void {
  const sqlite = sqliteHandle();
  if (registered.has(sqlite)) return;
  registered.add(sqlite);
  sqlite.function(
    "video_holds",
    { deterministic: true },
    (title: unknown, tags: unknown, needle: unknown) =>
      Number(
        String(title)
          .toLowerCase()
          .includes(needle as string) || tagsHold(tags, needle as string),
      ),
  );
}

function tagsHold(tags: unknown, needle: string): boolean {
  if (typeof tags !== "string") return false;
  return (JSON.parse(tags) as unknown[]).some(
    (tag) => typeof tag === "string" && tag.toLowerCase().includes(needle),
  );
}
