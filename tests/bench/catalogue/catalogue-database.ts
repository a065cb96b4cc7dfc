import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { forgetSettings } from "~/platform/settings.server";
import { closeDatabase } from "~db/client.server";
import { migrate } from "~db/migrate.server";
import { migrations } from "~db/migrations/index";
import { createProjector, projectAll } from "~db/projector.server";
import { generatedVideos } from "./generated-videos";

/** The folder in which databases are cached for later runs. */
const FOLDER = process.env.BENCH_CACHE || ".cache/bench";
const ROWS_PER_TRANSACTION = 20_000;
const CACHE_KIB = 512 * 1024;

/** Returns the path of a database with `count` generated videos. Each database is created only once. */
export function catalogueDatabase(count: number): string {
  // The file name contains a hash of the schema without its comments, so that a new database is created when the schema
  // changes.
  const statements = migrations.map(({ sql }) => sql.replaceAll(/--.*$/gm, "")).join("\n");
  const schema = createHash("sha256").update(statements).digest("hex").slice(0, 8);
  const file = path.join(FOLDER, `catalogue-${schema}-${count}.sqlite`);
  if (fs.existsSync(file)) return file;
  const partial = `${file}.partial`;
  fs.mkdirSync(FOLDER, { recursive: true });
  console.log(`  generating ${count.toLocaleString("en")} videos (once; takes a few minutes) …`);
  for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(partial + suffix, { force: true });
  const sqlite = new Sqlite(partial);
  // Nothing reads the file until it is complete, so it doesn't need a write-ahead log.
  sqlite.pragma("journal_mode = MEMORY");
  sqlite.pragma("synchronous = OFF");
  sqlite.pragma("locking_mode = EXCLUSIVE");
  sqlite.pragma("temp_store = MEMORY");
  sqlite.pragma(`cache_size = -${CACHE_KIB}`);
  migrate(sqlite);
  withoutIndexes(sqlite, () => write(sqlite, count));
  projectAll(createProjector(sqlite));
  sqlite.close();
  fs.renameSync(partial, file);
  return file;
}

/**
 * Copies a cached database to a temporary folder, and runs `work` with the copy as the site's database. Benchmarks
 * change only the copy, so that the cached database can be reused.
 */
export async function withCatalogue(
  count: number,
  work: (file: string) => Promise<void>,
): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bench-catalogue-"));
  const file = path.join(folder, "site.sqlite");
  fs.copyFileSync(catalogueDatabase(count), file, fs.constants.COPYFILE_FICLONE);
  Object.assign(process.env, { DATABASE_PATH: file, UPLOADS_DIR: path.join(folder, "uploads") });
  forgetSettings();
  try {
    await work(file);
  } finally {
    closeDatabase();
    delete process.env.DATABASE_PATH;
    delete process.env.UPLOADS_DIR;
    forgetSettings();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Drops a table's indexes during `work` and recreates them afterward, because sorting once is faster than updating the
 * indexes row by row.
 */
function withoutIndexes(sqlite: Sqlite.Database, work: () => void): void {
  const indexes = sqlite
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE tbl_name = 'videos' AND type = 'index' AND sql <> ''",
    )
    .all() as { name: string; sql: string }[];
  for (const { name } of indexes) sqlite.exec(`DROP INDEX ${name}`);
  work();
  for (const { sql } of indexes) sqlite.exec(sql);
}

function write(sqlite: Sqlite.Database, count: number): void {
  const insert = sqlite.prepare(INSERT_VIDEO);
  const videos = generatedVideos(count);
  const writeBatch = sqlite.transaction(() => {
    for (let i = 0; i < ROWS_PER_TRANSACTION; i += 1) {
      const { value, done } = videos.next();
      if (done) return false;
      insert.run(value);
    }
    return true;
  });
  while (writeBatch());
}

/** Inserts a generated video. */
export const INSERT_VIDEO = `
  INSERT INTO videos (id, title, description, category, tags, duration, video_url, thumbnail_url,
    status, views, created_at)
  VALUES (@id, @title, @description, @category, @tags, @duration, @video_url, @thumbnail_url,
    @status, @views, @created_at)`;
