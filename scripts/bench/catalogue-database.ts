import { createHash } from "node:crypto";
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
 * The path of a database with `count` generated videos, made once for each schema and kept.
 *
 * The rows are written under the schema before the search index, and the index then built over all
 * of them by its own migration, which is much faster than row by row.
 */
export function catalogueDatabase(count: number): string {
  const schema = createHash("sha256").update(JSON.stringify(migrations)).digest("hex").slice(0, 12);
  const name = `catalogue-${count}`;
  const file = path.join(FOLDER, `${name}-${schema}.sqlite`);
  if (fs.existsSync(file)) return file;
  fs.mkdirSync(FOLDER, { recursive: true });
  for (const old of fs.readdirSync(FOLDER)) {
    if (old.startsWith(`${name}-`)) fs.rmSync(path.join(FOLDER, old));
  }
  console.log(`Making ${count.toLocaleString("en")} videos (once) ...`);
  const making = `${file}.partial`;
  const sqlite = openSqlite(making);
  sqlite.pragma("synchronous = OFF");
  const first = migrations.findIndex(({ name }) => name.startsWith(INDEXED_FROM));
  migrate(sqlite, migrations.slice(0, first));
  write(sqlite, count);
  migrate(sqlite);
  sqlite.pragma("wal_checkpoint(TRUNCATE)");
  sqlite.close();
  for (const extra of fs.readdirSync(FOLDER)) {
    if (extra.includes(".partial.before-")) fs.rmSync(path.join(FOLDER, extra));
  }
  fs.renameSync(making, file);
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
