import fs from "node:fs";
import path from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { requireFolder } from "./folders.server";
import { MigrationError, requireReleasedSchema } from "./migrate.server";

/** A database file that cannot be used; its message is the sentence to print. */
export class DatabaseFileError extends Error {}

/** Up to this size the whole file is checked at the start: 64 MiB take about 0.4 s, and a start has 3 s. */
const CHECKED_WHOLE_BYTES = 64 * 1024 * 1024;

/**
 * Checks what can be told of the file before SQLite opens it, and creates its folder.
 *
 * @throws {DatabaseFileError} when DATABASE_PATH is a folder or not accessible.
 * @throws {FolderError} when its folder cannot be created or written to.
 * @throws {MigrationError} when a development build created it.
 */
export function requireDatabaseFile(file: string): void {
  const wanted = path.resolve(file);
  if (fs.statSync(wanted, { throwIfNoEntry: false })?.isDirectory()) {
    throw new DatabaseFileError(
      `DATABASE_PATH is a folder (${wanted}); set it to a file in it, such as ${path.join(wanted, "site.sqlite")}.`,
    );
  }
  requireFolder("DATABASE_PATH", path.dirname(wanted));
  requireReleasedFile(wanted);
}

/**
 * Checks that no development build created a database, or the one that an interrupted restore would put in
 * its place. Changes neither the file nor its write-ahead log.
 *
 * @throws {MigrationError} Other problems of the file are left to whoever opens it.
 */
export function requireReleasedFile(file: string): void {
  for (const each of [file, restoredFile(file)]) {
    if (fs.existsSync(each)) checkUnchanged(each);
  }
}

/**
 * A connection that may write moves the log into the file when it closes, and one that may not leaves an
 * empty log behind. So the first is for files without a log, the second for those with one.
 */
function checkUnchanged(file: string): void {
  let sqlite: Database | undefined;
  try {
    const hasLog = fs.existsSync(`${fs.realpathSync(file)}-wal`);
    sqlite = new Sqlite(file, { readonly: hasLog, fileMustExist: true });
    requireReleasedSchema(sqlite);
  } catch (error) {
    if (error instanceof MigrationError) throw error;
  } finally {
    sqlite?.close();
  }
}

/** The database of a backup, from when it is to replace a file until it does. See restore-backup.server.ts. */
export function restoredFile(file: string): string {
  return `${file}.restored`;
}

/** @throws {DatabaseFileError} while a restore that was interrupted has replaced only a part of the site. */
export function requireNoRestore(file: string): void {
  if (!fs.existsSync(restoredFile(file))) return;
  throw new DatabaseFileError(
    `A restore was interrupted (${path.resolve(restoredFile(file))} exists). Start the site or run npm run restore again to finish it.`,
  );
}

/**
 * Looks for damage: the whole file, or of a large one the first page of each table.
 *
 * @throws {DatabaseFileError} when there is some; errors of SQLite pass through.
 */
export function requireUndamaged(sqlite: Database): void {
  const bytes = fs.statSync(sqlite.name).size;
  if (bytes > CHECKED_WHOLE_BYTES) {
    const tables = sqlite
      .prepare<unknown[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0",
      )
      .pluck()
      .all();
    for (const table of tables) sqlite.prepare(`SELECT 1 FROM "${table}" LIMIT 1`).get();
    return;
  }
  if (sqlite.pragma("quick_check(1)", { simple: true }) !== "ok") {
    throw new DatabaseFileError(damaged(sqlite.name));
  }
}

/** An error of SQLite about the file itself as a sentence for the operator; any other unchanged. */
export function explainDatabaseError(error: unknown, file: string): unknown {
  const code = String((error as { code?: unknown })?.code);
  const wanted = path.resolve(file);
  if (code === "SQLITE_NOTADB") {
    return new DatabaseFileError(
      `DATABASE_PATH is not an SQLite database (${wanted}); set it to another path, or move that file away to start with an empty site.`,
    );
  }
  if (code.startsWith("SQLITE_CORRUPT")) return new DatabaseFileError(damaged(wanted));
  if (/^(SQLITE_(CANTOPEN|READONLY|PERM|IOERR)|E(ACCES|PERM|ROFS)$)/.test(code)) {
    return new DatabaseFileError(
      `DATABASE_PATH cannot be opened for reading and writing (${wanted}); change the owner of the file and its folder, or set it to another path.`,
    );
  }
  return error;
}

function damaged(file: string): string {
  return `DATABASE_PATH is damaged (${path.resolve(file)}); bring a back-up back with npm run restore, or move that file away to start with an empty site.`;
}
