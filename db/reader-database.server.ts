import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import {
  DatabaseFileError,
  explainDatabaseError,
  requireReleasedFile,
} from "./database-file.server";
import { requireReleasedSchema, unknownMigrations } from "./migrate.server";

/** Of pages in memory, as on the site that writes. */
const CACHE_KIB = 16 * 1024;

/**
 * Opens a copy of the database for reading alone.
 *
 * @throws {DatabaseFileError} with a sentence for the operator: it is not there, not whole, of another version
 *   of the site, or does not say how old it is.
 * @throws {MigrationError} when a development build created it.
 */
export function openCopy(file: string): Sqlite.Database {
  const wanted = path.resolve(file);
  if (!fs.existsSync(wanted)) {
    throw new DatabaseFileError(
      `The copy of the database is not there (${wanted}); npm run refresh-reader brings it.`,
    );
  }
  requireReleasedFile(wanted);
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = new Sqlite(file, { readonly: true, fileMustExist: true });
    requireCopy(sqlite);
    sqlite.pragma(`cache_size = -${CACHE_KIB}`);
    sqlite.pragma("temp_store = MEMORY");
    return sqlite;
  } catch (error) {
    sqlite?.close();
    throw explainDatabaseError(error, file);
  }
}

/**
 * Checks that this version can read a copy, and that the copy has the time of its newest change.
 *
 * @param source what the message calls a copy from a development build.
 * @throws {DatabaseFileError | MigrationError}
 */
export function requireCopy(sqlite: Sqlite.Database, source: string = sqlite.name): void {
  requireReleasedSchema(sqlite, source);
  const { missing, unknown } = unknownMigrations(sqlite);
  if (missing[0] ?? unknown[0]) {
    throw new DatabaseFileError(
      `The copy ${sqlite.name} comes from ${unknown[0] ? "a newer" : "an older"} version of the site (${unknown[0] ?? missing[0]}); a reader has to be of the same version as the site that writes.`,
    );
  }
  if (lastHeartbeat(sqlite) === undefined) {
    throw new DatabaseFileError(
      `The copy ${sqlite.name} does not say how old it is; start the site that writes with LITESTREAM=on.`,
    );
  }
}

/** When the site last wrote it, milliseconds since 1970; undefined when it never has. */
export function lastHeartbeat(sqlite: Sqlite.Database): number | undefined {
  const at = sqlite.prepare<unknown[], string>("SELECT at FROM heartbeat").pluck().get();
  return at === undefined ? undefined : Date.parse(at);
}
