import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import {
  DatabaseFileError,
  explainDatabaseError,
  requireReleasedFile,
} from "./database-file.server";
import { requireReleasedSchema, unknownMigrations } from "./migrate.server";

/** The size of the page cache, which is the same as on the primary. */
const CACHE_KIB = 16 * 1024;

/**
 * Opens a replica of the database in read-only mode.
 *
 * @throws {DatabaseFileError} with a message for the operator if the replica is missing, damaged or from another
 *   version of the site, or has no heartbeat.
 * @throws {MigrationError} if a development build created it.
 */
export function openReplica(file: string): Sqlite.Database {
  const wanted = path.resolve(file);
  if (!fs.existsSync(wanted)) {
    throw new DatabaseFileError(
      `There is no copy of the database (${wanted}). Fetch one with npm run refresh-reader.`,
    );
  }
  requireReleasedFile(wanted);
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = new Sqlite(file, { readonly: true, fileMustExist: true });
    requireReplica(sqlite);
    sqlite.pragma(`cache_size = -${CACHE_KIB}`);
    sqlite.pragma("temp_store = MEMORY");
    return sqlite;
  } catch (error) {
    sqlite?.close();
    throw explainDatabaseError(error, file);
  }
}

/**
 * Checks that this version can read a replica, and that the replica has a heartbeat.
 *
 * @param source the database's name, for the error message about a development build.
 * @throws {DatabaseFileError | MigrationError}
 */
export function requireReplica(sqlite: Sqlite.Database, source: string = sqlite.name): void {
  requireReleasedSchema(sqlite, source);
  const { missing, unknown } = unknownMigrations(sqlite);
  if (missing[0] ?? unknown[0]) {
    throw new DatabaseFileError(
      `The copy ${sqlite.name} is from ${unknown[0] ? "a newer" : "an older"} version of the site (${unknown[0] ?? missing[0]}). A reader must run the same version as the site that it reads from.`,
    );
  }
  if (lastHeartbeat(sqlite) === undefined) {
    throw new DatabaseFileError(
      `The copy ${sqlite.name} has no timestamp. Start the site that it comes from with LITESTREAM=on.`,
    );
  }
}

/** Returns the time of the last heartbeat, in milliseconds since the epoch; undefined if there is none. */
export function lastHeartbeat(sqlite: Sqlite.Database): number | undefined {
  const at = sqlite.prepare<unknown[], string>("SELECT at FROM heartbeat").pluck().get();
  return at === undefined ? undefined : Date.parse(at);
}
