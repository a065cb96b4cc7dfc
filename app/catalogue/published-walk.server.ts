import { sql } from "kysely";
import { database } from "~db/client.server";
import { type CardRow, toCard } from "./card-row.server";
import { isoTime, parseDuration } from "./format";
import { ownMediaPath } from "./media-path";
import { parseTags } from "./related";
import type { DescribedVideo } from "./structured-data";

/** Videos read at once: few enough to keep nobody waiting. */
const STEP = 250;
const ALL = 8;

interface Row extends CardRow {
  place: string;
  description: string;
  tags: string | null;
  updated_at: string;
}

/** The published videos from an offset on, the newest first, some at a time. */
export async function* walkPublished(
  offset: number,
  most: number,
): AsyncGenerator<DescribedVideo[]> {
  let below = await placeAbove(offset);
  for (let left = most; below !== undefined && left > 0; left -= STEP) {
    const { rows } = await sql<Row>`
      SELECT CAST(place AS TEXT) AS place, videos.* FROM published
      JOIN videos ON videos.id = published.id WHERE place < CAST(${below} AS INTEGER)
      ORDER BY place DESC LIMIT ${Math.min(STEP, left)}`.execute(database());
    if (rows.length > 0) yield rows.map(toDescribed);
    below = rows.length === STEP ? rows.at(-1)?.place : undefined;
  }
}

function toDescribed(row: Row): DescribedVideo {
  return {
    ...toCard(row),
    description: row.description,
    tags: parseTags(row.tags),
    videoUrl: ownMediaPath(row.video_url) ?? "",
    durationSeconds: parseDuration(row.duration) ?? 0,
    updatedAt: isoTime(row.updated_at),
  };
}

/** One more than the place at an offset, by way of the counted segments; undefined past the end. */
async function placeAbove(offset: number): Promise<string | undefined> {
  const { rows } = await sql<{ place: string }>`
    WITH segment AS (
      SELECT * FROM (
        SELECT sum(entries) OVER list AS upto, sum(entries) OVER list - entries AS before,
          lag(place) OVER list AS end_place
        FROM published_segments WHERE list = ${ALL} WINDOW list AS (ORDER BY place DESC))
      WHERE upto > ${offset} LIMIT 1)
    SELECT CAST(place + 1 AS TEXT) AS place FROM published
    WHERE EXISTS (SELECT 1 FROM segment)
      AND place < coalesce((SELECT end_place FROM segment), 9223372036854775807)
    ORDER BY place DESC
    LIMIT 1 OFFSET ${offset} - coalesce((SELECT before FROM segment), 0)`.execute(database());
  return rows[0]?.place;
}
