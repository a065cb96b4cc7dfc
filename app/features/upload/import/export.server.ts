import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { csvCell } from "~/shared/markup/csv";
import { database } from "~db/client.server";
import { readTags } from "~db/tags";

const ROWS_AT_ONCE = 500;

/** The exported columns. `npm run import -- --export` and users' spreadsheets rely on these names. */
const STORED = [
  "id",
  "title",
  "description",
  "category",
  "tags",
  "status",
  "views",
  "duration",
  "thumbnail_url",
  "created_at",
  "updated_at",
] as const;
const COLUMNS = [...STORED, "series", "video_url"] as const;

/** A JSON object that contains the title of each of the video's series and the video's position in that series. */
const SERIES = sql<string | null>`(
  SELECT json_group_object(series.title, series_videos.position)
  FROM series_videos JOIN series ON series.id = series_id
  WHERE video_id = videos.id AND deleted_at IS NULL HAVING count(*) > 0)`;

export type ExportFormat = "csv" | "json";

/**
 * Streams the catalogue as a table: CSV (RFC 4180, UTF-8) with a header line, or a JSON array of objects. If a video
 * has no playable file, the name of its uploaded file is exported instead.
 */
export async function* exportCatalogue(format: ExportFormat): AsyncGenerator<string> {
  if (format === "csv") yield `${COLUMNS.join(",")}\r\n`;
  let after = 0;
  for (;;) {
    const rows = await rowsAfter(after);
    const isFirst = after === 0;
    if (format === "json") {
      const lines = rows.map((row) => JSON.stringify(objectOf(row)));
      yield (isFirst ? "[\n" : rows.length ? ",\n" : "") + lines.join(",\n");
    } else {
      yield rows
        .map((row) => `${COLUMNS.map((name) => csvCell(row[name])).join(",")}\r\n`)
        .join("");
    }
    if (rows.length < ROWS_AT_ONCE) break;
    after = rows.at(-1)!.number;
    // Yields to the event loop so that other requests can be served.
    await setImmediate();
  }
  if (format === "json") yield "\n]\n";
}

type Row = Awaited<ReturnType<typeof rowsAfter>>[number];

/** Yields rows in insertion order. */
function rowsAfter(number: number) {
  return database()
    .selectFrom("videos")
    .select(["number", ...STORED])
    .select((row) =>
      row.fn
        .coalesce(row.fn<string | null>("nullif", ["video_url", row.val("")]), "source_url")
        .as("video_url"),
    )
    .select(SERIES.as("series"))
    .where("number", ">", number)
    .orderBy("number")
    .limit(ROWS_AT_ONCE)
    .execute();
}

function objectOf(row: Row): Record<string, unknown> {
  const tags = readTags(row.tags);
  const series = row.series === null ? {} : (JSON.parse(row.series) as object);
  return {
    ...Object.fromEntries(COLUMNS.map((name) => [name, row[name]])),
    tags,
    series,
  };
}
