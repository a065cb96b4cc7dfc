import { setImmediate } from "node:timers/promises";
import { isoTime, parseDuration } from "~/shared/format";
import { ownMediaPath } from "~/shared/media-path";
import { prepared } from "~db/client.server";
import { readTags } from "~db/tags";
import { queryThread } from "~db/threads/query-thread.server";
import { type CardRow, toCard } from "../lists/card-row.server";
import type { ListQuestion } from "../lists/list-query.server";
import type { DescribedVideo } from "../meta/structured-data";

/** Videos read at once: few enough to keep nobody waiting. */
const STEP = 250;

interface Row extends CardRow {
  /** As text: it is too long for a number of JavaScript. */
  sort_key: string;
  description: string;
  tags: string | null;
  updated_at: string;
}

/** The published videos from an offset on, the newest first, some at a time. */
export async function* walkPublished(
  offset: number,
  most: number,
): AsyncGenerator<DescribedVideo[]> {
  const [first] = await queryThread<number[]>("reading", "list", {
    ...{ order: "newest", categories: [], fromEnd: false, limit: 1 },
    offset,
  } satisfies ListQuestion);
  if (first === undefined) return;
  let rows = [] as Row[];
  const next = prepared(`
    SELECT *, CAST(sort_key AS TEXT) AS sort_key FROM videos
    WHERE listed AND sort_key < CAST(? AS INTEGER)
    ORDER BY videos.sort_key DESC LIMIT ?`);
  let below = prepared("SELECT CAST(sort_key AS TEXT) FROM videos WHERE number = ?")
    .pluck()
    .get(first) as string | undefined;
  // The first itself is part of it; sort keys are below the largest number there is.
  if (below !== undefined) below = String(BigInt(below) + 1n);
  for (let left = most; below !== undefined && left > 0; left -= STEP) {
    rows = next.all(below, Math.min(STEP, left)) as Row[];
    if (rows.length > 0) yield rows.map(toDescribed);
    below = rows.length === STEP ? rows.at(-1)?.sort_key : undefined;
    await setImmediate();
  }
}

/** The published videos of sort keys, the newest first. */
export function describedAt(sortKeys: readonly bigint[]): DescribedVideo[] {
  const rows = prepared(`
    SELECT * FROM videos WHERE +listed
      AND sort_key IN (SELECT value FROM json_each(?)) ORDER BY +sort_key DESC`).all(
    `[${sortKeys.join(",")}]`,
  ) as Row[];
  return rows.map(toDescribed);
}

/** The published videos of ids, in their order. */
export function describedOf(ids: readonly string[]): DescribedVideo[] {
  const rows = prepared(`
    SELECT videos.* FROM json_each(?) AS asked CROSS JOIN videos ON videos.id = asked.value
    WHERE +listed ORDER BY asked.key`).all(JSON.stringify(ids)) as Row[];
  return rows.map(toDescribed);
}

function toDescribed(row: Row): DescribedVideo {
  return {
    ...toCard(row),
    description: row.description,
    tags: readTags(row.tags),
    videoUrl: ownMediaPath(row.video_url) ?? "",
    durationSeconds: parseDuration(row.duration) ?? 0,
    updatedAt: isoTime(row.updated_at),
  };
}
