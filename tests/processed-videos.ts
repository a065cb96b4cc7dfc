import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type Sqlite from "better-sqlite3";
import { filesBelow } from "./files-below";

/**
 * Fully processed videos, stored as files and rows in `tests/processed-videos`. Tests that aren't about encoding use
 * them to save time. `npm run processed-videos` regenerates them. A unit test compares them with their checksums.
 */
export const PROCESSED_VIDEOS = fileURLToPath(new URL("processed-videos", import.meta.url));

export type ProcessedVideo =
  /** A 5-second MP4 that browsers can play as is. Each frame's luma encodes its number (see counting-video.ts). */
  | "counting"
  /** A 2-second AVI, which is kept next to its conversion. */
  | "converted"
  /** A 30-second Matroska file at 480p with two audio tracks and two caption tracks. */
  | "complete";

/** The base path of the stored files, which is replaced in each test. */
export const STORED_BASE_PATH = "u/1600000000000";
/** The tables that contain rows about a processed video, each with the column that contains the video's ID. */
export const VIDEO_TABLES = [
  ["videos", "id"],
  ["jobs", "video_id"],
  ["media_files", "video_id"],
  ["video_fingerprints", "video_id"],
  ["video_frames", "video_id"],
] as const;

/** The SHA-256 and the name of each file, one file per line. */
export const CHECKSUMS = path.join(PROCESSED_VIDEOS, "checksums.txt");

export function checksumsOf(folder: string): string {
  const names = filesBelow(folder).filter((name) => name.includes(path.sep));
  const lines = names.map((name) => {
    const bytes = fs.readFileSync(path.join(folder, name));
    return `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`;
  });
  return lines.join("");
}

type Value = string | number | null | { base64: string };
export type VideoRows = Record<string, Record<string, Value>[]>;

let uploadId = 1_600_000_000_000;

/**
 * Adds a processed video to a site.
 * @param columns the columns of `videos` to override.
 * @returns the ID of the video.
 */
export function addProcessedVideo(
  { sqlite, uploads }: { sqlite: Sqlite.Database; uploads: string },
  video: ProcessedVideo,
  columns: Record<string, string | number | null> = {},
): string {
  const base = `u/${++uploadId}`;
  const folder = path.join(PROCESSED_VIDEOS, video);
  for (const name of filesBelow(path.join(folder, "uploads"))) {
    const file = path.join(uploads, name.replace(STORED_BASE_PATH, base));
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.copyFileSync(path.join(folder, "uploads", name), file);
  }
  const text = fs.readFileSync(path.join(folder, "rows.json"), "utf8");
  const rows = JSON.parse(text.replaceAll(STORED_BASE_PATH, base)) as VideoRows;
  const id = String(columns.id ?? `${video}-${uploadId}`);
  const inSixHours = new Date(Date.now() + 6 * 3_600_000).toISOString();
  sqlite.transaction(() => {
    for (const [table, column] of VIDEO_TABLES) {
      for (const row of rows[table] ?? []) {
        const own = table === "videos" ? columns : {};
        if (row.kind === "cleanup") row.run_after = inSixHours;
        insert(sqlite, table, { ...row, ...own, [column]: id });
      }
    }
    sqlite
      .prepare(
        "UPDATE storage SET bytes = bytes + (SELECT sum(bytes) FROM media_files WHERE video_id = ?)",
      )
      .run(id);
  })();
  return id;
}

function insert(sqlite: Sqlite.Database, table: string, row: Record<string, Value>): void {
  const names = Object.keys(row);
  const values = Object.values(row).map((value) =>
    value !== null && typeof value === "object" ? Buffer.from(value.base64, "base64") : value,
  );
  const places = names.map(() => "?").join(", ");
  sqlite.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${places})`).run(values);
}
