import fs from "node:fs";
import path from "node:path";
import { openSqlite } from "~db/client.server";
import { migrate } from "~db/migrate.server";
import { migrations } from "~db/migrations";
import { createProjector } from "~db/projector.server";
import { generatedVideos } from "./generated-videos";

const FOLDER = ".cache/bench";
const ROWS_AT_ONCE = 20_000;

/** The path of a database with `count` generated videos, made once and kept. */
export function catalogueDatabase(count: number): string {
  const file = path.join(FOLDER, `catalogue-${migrations.at(-1)?.name}-${count}.sqlite`);
  if (fs.existsSync(file)) return file;
  const partial = `${file}.partial`;
  fs.mkdirSync(FOLDER, { recursive: true });
  console.log(`  making ${count.toLocaleString("en")} videos (once, some minutes) ...`);
  for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(partial + suffix, { force: true });
  const sqlite = openSqlite(partial);
  sqlite.pragma("synchronous = OFF");
  migrate(sqlite);
  write(sqlite, count);
  const { run, waiting } = createProjector(sqlite);
  while (waiting().last !== null) run(1_000);
  sqlite.pragma("wal_checkpoint(TRUNCATE)");
  sqlite.close();
  fs.renameSync(partial, file);
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
