import { type RawBuilder, sql } from "kysely";
import { database } from "~db/client.server";
import { CARD_COLUMNS, type CardRow, toCard } from "./card-row.server";
import { CATEGORY_IDS, type CategoryId } from "./categories";
import { clampPage, PAGE_SIZE, videoPage } from "./pages";
import type { VideoCardData, VideoPage } from "./video-card";

/**
 * The lists that the database keeps in order and counted (see the migration that makes
 * `published`). No page of them costs more than its neighbours, whatever its number.
 */

/** The codes of the lists; that of a category is its index in CATEGORY_IDS. */
const ALL = 8;
const TRENDING = 9;
/** Above every place: the end of a list. */
const END = sql<number>`9223372036854775807`;

export function categoryCode(category: CategoryId): number {
  return CATEGORY_IDS.indexOf(category);
}

/** One page of a category or of all, the newest first. */
export function newestPage(category: CategoryId | undefined, asked: number): Promise<VideoPage> {
  const list = category ? categoryCode(category) : ALL;
  const within = category ? sql`category = ${list} AND` : sql``;
  return page(
    list,
    asked,
    (end, skipped) => sql`
    SELECT place FROM published WHERE ${within} place < ${end}
    ORDER BY place DESC LIMIT ${PAGE_SIZE} OFFSET ${skipped}`,
  );
}

/** One page of what has views, the most viewed first. */
export function mostViewedPage(asked: number): Promise<VideoPage> {
  return page(
    TRENDING,
    asked,
    (end, skipped, endViews) => sql`
    SELECT place FROM published WHERE views > 0 AND (views, place) < (${endViews}, ${end})
    ORDER BY views DESC, place DESC LIMIT ${PAGE_SIZE} OFFSET ${skipped}`,
  );
}

/** How many videos are published. */
export function publishedTotal(): Promise<number> {
  return totalOf(ALL);
}

/** The cards of places, in the order of the places; what is no longer published is left out. */
export async function cardsAt(places: readonly bigint[]): Promise<VideoCardData[]> {
  if (places.length === 0) return [];
  const { rows } = await sql<CardRow & { place: string }>`
    SELECT CAST(place AS TEXT) AS place, ${columns}
    FROM published JOIN videos ON videos.id = published.id
    WHERE place IN (${sql.join(places)})`.execute(database());
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return places.flatMap((place) => {
    const row = byPlace.get(String(place));
    return row ? [toCard(row)] : [];
  });
}

const columns = sql.join(CARD_COLUMNS.map((name) => sql.ref(`videos.${name}`)));

async function page(
  list: number,
  asked: number,
  placesBelow: (
    end: RawBuilder<number>,
    skipped: RawBuilder<number>,
    endViews: RawBuilder<number>,
  ) => RawBuilder<unknown>,
): Promise<VideoPage> {
  const total = await totalOf(list);
  if (total === 0) return videoPage([], 1, 0);
  const shown = clampPage(asked, total);
  const offset = (shown - 1) * PAGE_SIZE;
  // The segment with the first entry of the page, and where the one before it began. All in one
  // statement: a place is too long for a number of JavaScript.
  const { rows } = await sql<CardRow>`
    WITH segment AS (
      SELECT * FROM (
        SELECT sum(entries) OVER list AS upto, sum(entries) OVER list - entries AS before,
          lag(views) OVER list AS end_views, lag(place) OVER list AS end_place
        FROM published_segments WHERE list = ${list}
        WINDOW list AS (ORDER BY views DESC, place DESC))
      WHERE upto > ${offset} LIMIT 1)
    SELECT ${columns}
    FROM (${placesBelow(
      sql`coalesce((SELECT end_place FROM segment), ${END})`,
      sql`${offset} - coalesce((SELECT before FROM segment), 0)`,
      sql`coalesce((SELECT end_views FROM segment), ${END})`,
    )}) AS here
      JOIN published ON published.place = here.place JOIN videos ON videos.id = published.id
    ORDER BY ${list === TRENDING ? sql`published.views DESC,` : sql``} published.place DESC
  `.execute(database());
  return videoPage(rows.map(toCard), shown, total);
}

async function totalOf(list: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    SELECT coalesce(sum(entries), 0) AS total FROM published_segments WHERE list = ${list}
  `.execute(database());
  return rows[0]?.total ?? 0;
}
