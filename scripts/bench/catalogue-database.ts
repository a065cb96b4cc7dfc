import fs from "node:fs";
import path from "node:path";
import { openSqlite } from "~db/client.server";
import { migrate } from "~db/migrate.server";
import { migrations } from "~db/migrations";
import { generatedVideos } from "./generated-videos";

const FOLDER = ".cache/bench";
const INDEXED_FROM = "0070";
const ROWS_AT_ONCE = 20_000;

/**
 * The path of a database with `count` generated videos and today's schema, made once and kept.
 *
 * The rows are written under the schema before the search index, and the index then built over all
 * of them by its own migration, which is much faster than row by row.
 */
export function catalogueDatabase(count: number): string {
  const file = path.join(FOLDER, `catalogue-${count}.sqlite`);
  const found = fs.existsSync(file);
  const working = found ? file : `${file}.partial`;
  fs.mkdirSync(FOLDER, { recursive: true });
  if (!found) {
    console.log(`  making ${count.toLocaleString("en")} videos (once, some minutes) ...`);
    for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(working + suffix, { force: true });
  }
  const sqlite = openSqlite(working);
  if (!found) {
    sqlite.pragma("synchronous = OFF");
    const first = migrations.findIndex(({ name }) => name.startsWith(INDEXED_FROM));
    migrate(sqlite, migrations.slice(0, first));
    write(sqlite, count);
  }
  migrate(sqlite);
  sqlite.pragma("wal_checkpoint(TRUNCATE)");
  sqlite.close();
  for (const name of fs.readdirSync(FOLDER)) {
    if (name.includes(".before-")) fs.rmSync(path.join(FOLDER, name));
  }
  if (!found) fs.renameSync(working, file);
  return file;
}

function write(sqlite: ReturnType<typeof openSqlite>, count: number): void {
  const insert = sqlite.prepare(`
    INSERT INTO videos (id, title, description, category, tags, duration, video_url, thumbnail_url,
      status, views, created_at)
    VALUES (@id, @title, @description, @category, @tags, @duration, @video_url, @thumbnail_url,
      @status, @views, @created_at)`);
  const videos = generatedVideos(count);
  const some = sqlite.transaction(() => {
    for (let i = 0; i < ROWS_AT_ONCE; i += 1) {
      const { value, done } = videos.next();
      if (done) return false;
      insert.run(value);
    }
    return true;
  });
  while (some());
}
