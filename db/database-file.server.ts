import fs from "node:fs";
import path from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { requireFolder } from "./folders.server";
import { MigrationError, requireReleasedSchema } from "./migrate.server";

/** Thrown if the database file can't be used. Its message is for the operator. */
export class DatabaseFileError extends Error {}

/**
 * Files up to this size are checked completely at startup. Checking 64 MiB takes about 0.4 s, and startup may take 3 s.
 */
const CHECKED_WHOLE_BYTES = 64 * 1024 * 1024;

/**
 * Checks the file before SQLite opens it, and creates its folder.
 *
 * @throws {DatabaseFileError} if DATABASE_PATH is a folder or not accessible.
 * @throws {FolderError} if its folder can't be created or written to.
 * @throws {MigrationError} if a development build created it.
 */
export function requireDatabaseFile(file: string): void {
  const wanted = path.resolve(file);
  if (fs.statSync(wanted, { throwIfNoEntry: false })?.isDirectory()) {
    throw new DatabaseFileError(
      `DATABASE_PATH is a folder (${wanted}). Set it to a file in that folder, such as ${path.join(wanted, "site.sqlite")}.`,
    );
  }
  requireFolder("DATABASE_PATH", path.dirname(wanted));
  requireReleasedFile(wanted);
}

/**
 * Checks that neither the database nor its replacement from an interrupted restore was created by a development build.
 * Doesn't change the file or its write-ahead log.
 *
 * @throws {MigrationError} Other problems with the file are reported when it is opened.
 */
export function requireReleasedFile(file: string): void {
  for (const each of [file, restoredFile(file)]) {
    if (fs.existsSync(each)) checkUnchanged(each);
  }
}

/**
 * Closing a writable connection moves the write-ahead log into the file, and closing a read-only connection leaves an
 * empty log behind. So a file without a log is opened for writing, and a file with a log is opened read-only.
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

/** Returns the path at which a restored database is kept until it replaces `file`. See restore-backup.server.ts. */
export function restoredFile(file: string): string {
  return `${file}.restored`;
}

/** @throws {DatabaseFileError} if an interrupted restore has replaced only part of the site. */
export function requireNoRestore(file: string): void {
  if (!fs.existsSync(restoredFile(file))) return;
  throw new DatabaseFileError(
    `A restore was interrupted (${path.resolve(restoredFile(file))} exists). Start the site or run npm run restore again to finish it.`,
  );
}

/**
 * Checks the file for damage: all of it, or only the first page of each table if it is large.
 *
 * @throws {DatabaseFileError} if it is damaged. SQLite's own errors aren't caught.
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
    throw new DatabaseFileError(damagedMessage(sqlite.name));
  }
}

/**
 * Converts a SQLite error about the file into an error with a message for the operator. Returns other errors unchanged.
 */
export function explainDatabaseError(error: unknown, file: string): unknown {
  const code = String((error as { code?: unknown })?.code);
  const wanted = path.resolve(file);
  if (code === "SQLITE_NOTADB") {
    return new DatabaseFileError(
      `DATABASE_PATH is not a SQLite database (${wanted}). Set it to another path, or move the file away to start with an empty site.`,
    );
  }
  if (code.startsWith("SQLITE_CORRUPT")) return new DatabaseFileError(damagedMessage(wanted));
  if (/^(SQLITE_(CANTOPEN|READONLY|PERM|IOERR)|E(ACCES|PERM|ROFS)$)/.test(code)) {
    return new DatabaseFileError(
      `DATABASE_PATH can't be opened for reading and writing (${wanted}). Change the owner of the file and its folder, or set it to another path.`,
    );
  }
  return error;
}

function damagedMessage(file: string): string {
  return `DATABASE_PATH is damaged (${path.resolve(file)}). Restore a backup with npm run restore, or move the file away to start with an empty site.`;
}
