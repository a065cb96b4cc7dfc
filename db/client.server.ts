import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { Kysely } from "kysely";
import { LRUCache } from "lru-cache";
import {
  explainDatabaseError,
  requireDatabaseFile,
  requireNoRestore,
  requireUndamaged,
} from "./database-file.server";
import { requireNoTransaction, SharedFileDialect } from "./dialect.server";
import { createFolder } from "./folders.server";
import { isReplicated } from "./litestream.server";
import { whenUnlocked } from "./lock-holder.server";
import { migrate } from "./migrate.server";
import { createProjector, type Projector, projectAll } from "./projector.server";
import { openReplica } from "./reader-database.server";
import { processState } from "./runtime.server";
import type { Schema } from "./schema";
import { isBusy } from "./write-lock";

/**
 * How long a statement blocks its thread while another process is writing. This applies to commands and to the site's
 * startup, which calls `disableBusyTimeout` before it serves requests.
 */
const BUSY_TIMEOUT_MS = 5_000;
/**
 * The size of the page cache. With a smaller cache, changing hundreds of rows in a large catalogue would evict pages
 * that are soon needed again.
 */
const CACHE_KIB = 16 * 1024;

/**
 * The maximum number of cached statements. The site has about 700 statements. A statement with a list of values is
 * cached separately for each length of the list.
 */
const MAX_STATEMENTS = 1_000;

/** How long the connection to a replaced file stays open for queries in progress. */
const CLOSE_REPLACED_AFTER_MS = 30_000;

interface Connection {
  sqlite: Sqlite.Database;
  kysely: Kysely<Schema>;
  projector: Projector;
  prepare: (sql: string) => Sqlite.Statement;
  /** A unique id, by which threads with a separate connection detect that the file has been replaced. */
  id: string;
}

/**
 * Rejects async callbacks. While such a callback was awaiting something, other requests would write within its
 * transaction.
 */
export type NotPromise<T> = T extends PromiseLike<unknown> ? never : T;

const state = processState(
  "database",
  () => ({ connection: undefined as Connection | undefined, replaced: new Set<Connection>() }),
  ({ connection, replaced }) => {
    for (const each of [connection, ...replaced]) each?.sqlite.close();
  },
);

// The settings module sets these; it is reevaluated whenever this module is.
let databaseFile: (() => string) | undefined;
let isReplica = () => false;

/**
 * Sets which file to open and whether it is a read-only replica. The settings module calls this, because `db` doesn't
 * depend on it.
 */
export function configureDatabase(file: () => string, replica = () => false): void {
  databaseFile = file;
  isReplica = replica;
}

/**
 * Opens a database file for reading and writing. Creates it and its folder if they are missing. Only its owner can read
 * the file, because it contains password hashes.
 */
export function openSqlite(file: string): Sqlite.Database {
  createFolder(path.dirname(path.resolve(file)));
  if (!fs.existsSync(file)) fs.closeSync(fs.openSync(file, "a", 0o600));
  const sqlite = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
  sqlite.pragma("journal_mode = WAL");
  sqlite.pragma("synchronous = NORMAL");
  sqlite.pragma("foreign_keys = ON");
  if (isReplicated(sqlite)) sqlite.pragma("wal_autocheckpoint = 0");
  sqlite.pragma(`cache_size = -${CACHE_KIB}`);
  // For a statement with a trigger, SQLite copies each page that the statement changes, so that it can be rolled back
  // individually. Keeping the copies in memory instead of a temporary file halves the duration of an insert.
  sqlite.pragma("temp_store = MEMORY");
  return sqlite;
}

/**
 * Opens the site's database and migrates it. Rows inserted by a migration are projected before anyone reads them.
 *
 * @throws {DatabaseFileError | FolderError | MigrationError} with a message for the operator.
 */
function openSiteDatabase(file: string): Sqlite.Database {
  requireDatabaseFile(file);
  requireNoRestore(file);
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = openSqlite(file);
    requireUndamaged(sqlite);
    if (migrate(sqlite).length > 0) projectAll(createProjector(sqlite));
    return sqlite;
  } catch (error) {
    sqlite?.close();
    throw explainDatabaseError(error, file);
  }
}

function connection(): Connection {
  const database = state();
  database.connection ??= openConnection();
  return database.connection;
}

function openConnection(): Connection {
  if (!databaseFile) throw new Error("Import settings.server.ts before using the database.");
  const open = isReplica() ? openReplica : openSiteDatabase;
  const sqlite = open(databaseFile());
  const prepare = statementCache(sqlite);
  return {
    id: randomUUID(),
    sqlite,
    kysely: new Kysely<Schema>({ dialect: new SharedFileDialect(sqlite, prepare) }),
    prepare,
    projector: createProjector(sqlite),
  };
}

/** Returns the id of the current connection. A thread reopens its connection when the id has changed. */
export function connectionId(): string {
  return connection().id;
}

/**
 * Switches to the file that has replaced the database file. Queries in progress have half a minute to finish with the
 * old file.
 *
 * @throws if the new file can't be opened. In that case, the old connection stays in use.
 */
export function reopenDatabase(): void {
  const database = state();
  const earlier = database.connection;
  database.connection = openConnection();
  if (!earlier) return;
  database.replaced.add(earlier);
  setTimeout(() => {
    database.replaced.delete(earlier);
    earlier.sqlite.close();
  }, CLOSE_REPLACED_AFTER_MS).unref();
}

/** Returns the query builder for the site's connection. The first use opens and migrates the file. */
export function database(): Kysely<Schema> {
  return connection().kysely;
}

/** Returns the site's connection itself, for the few statements that Kysely can't express. */
export function sqliteHandle(): Sqlite.Database {
  return connection().sqlite;
}

/**
 * Makes statements fail immediately instead of blocking the thread while another process is writing. See
 * `write-lock.ts`.
 */
export function disableBusyTimeout(): void {
  sqliteHandle().pragma("busy_timeout = 0");
}

/**
 * Runs `work` in one immediate transaction. It is the only way to run several statements atomically. `work` is
 * synchronous, so nothing else in this process can read or write in between.
 *
 * @param work uses `run-query.server.ts` and `prepared`.
 * @throws {DatabaseBusyError} if another process holds the lock for 2 seconds; any error that `work` throws, after a
 * rollback; an error if a transaction is already open.
 */
export function transaction<T>(work: () => NotPromise<T>): Promise<T> {
  const sqlite = sqliteHandle();
  requireNoTransaction(sqlite);
  // better-sqlite3 throws, and rolls back, if `work` returns a promise despite its type.
  return whenUnlocked(sqlite, () => sqlite.transaction(work).immediate());
}

/**
 * Runs `work` in one immediate transaction, but doesn't wait for the lock. Use it for work that can be postponed.
 *
 * @returns false if nothing was written because another connection is writing.
 */
export function tryWriteTransaction<T>(work: () => NotPromise<T>): boolean {
  const sqlite = sqliteHandle();
  requireNoTransaction(sqlite);
  try {
    sqlite.transaction(work).immediate();
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/**
 * Returns a prepared statement. Statements are cached, because compiling most of them takes longer than running them.
 */
export function prepared<Row = unknown>(sql: string): Sqlite.Statement<unknown[], Row> {
  return connection().prepare(sql) as Sqlite.Statement<unknown[], Row>;
}

function statementCache(sqlite: Sqlite.Database): (sql: string) => Sqlite.Statement {
  const statements = new LRUCache<string, Sqlite.Statement>({ max: MAX_STATEMENTS });
  return (sql) => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = sqlite.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
}

/** Returns the projector for the site's connection. `changes.server.ts` decides when it runs. */
export function projector(): Projector {
  return connection().projector;
}

/** Throws if the file can't be read. Reads a row, because SQLite evaluates `SELECT 1` without reading the file. */
export function checkDatabase(): void {
  sqliteHandle().prepare("SELECT catalogue FROM catalogue_version").get();
}

/** Closes the connection. The next use opens the file that the settings specify at that time. */
export function closeDatabase(): void {
  const database = state();
  database.connection?.sqlite.close();
  database.connection = undefined;
}
