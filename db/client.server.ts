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
import { openCopy } from "./reader-database.server";
import { processState } from "./runtime.server";
import type { Schema } from "./schema";
import { isBusy } from "./write-lock";

/**
 * How long a statement waits, on its thread, for another process that is writing: at the start of the
 * site and in the programs of the terminal. The site gives it up once it serves.
 */
const BUSY_TIMEOUT_MS = 5_000;
/** Of pages in memory, when the file is that large: less, and a change of hundreds of rows in a large
 * catalogue writes out pages that it soon reads again. */
const CACHE_KIB = 16 * 1024;

/** Statements that stay prepared. The site has about 700; lists of values of each length are further ones. */
const MAX_STATEMENTS = 1_000;

/** Of a connection whose file has been replaced. */
const EARLIER_STAYS_MS = 30_000;

interface Connection {
  sqlite: Sqlite.Database;
  kysely: Kysely<Schema>;
  projector: Projector;
  prepare: (sql: string) => Sqlite.Statement;
  /** Unique, so that a thread with a connection of its own notices that the file was replaced. */
  id: string;
}

/** What awaits something in a transaction would let other requests write into it. */
export type NotPromise<T> = T extends PromiseLike<unknown> ? never : T;

const state = processState(
  "database",
  () => ({ connection: undefined as Connection | undefined, replaced: new Set<Connection>() }),
  ({ connection, replaced }) => {
    for (const each of [connection, ...replaced]) each?.sqlite.close();
  },
);

// Set by the settings, which are evaluated again whenever this module is.
let databaseFile: (() => string) | undefined;
let readsCopy = () => false;

/**
 * Sets which file is opened, and whether it is a copy that is only read. The settings call it, because
 * `db` depends on no other module.
 */
export function locateDatabase(file: () => string, isCopy = () => false): void {
  databaseFile = file;
  readsCopy = isCopy;
}

/**
 * Opens a database file for reading and writing, creating its folder when it is missing.
 * The file is readable by its owner only: it holds password hashes.
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
  // A statement with a trigger copies each page that it changes, so that it can be undone by itself.
  // In memory, entering a row takes half as long as with a temporary file.
  sqlite.pragma("temp_store = MEMORY");
  return sqlite;
}

/**
 * Opens the site's file and migrates it. What a migration has entered anew is projected before anyone
 * reads it.
 *
 * @throws {DatabaseFileError | FolderError | MigrationError} with a sentence for the operator.
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
  if (!databaseFile) throw new Error("The settings have not set the database file.");
  const open = readsCopy() ? openCopy : openSiteDatabase;
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

/** Returns the id of the current connection. A thread opens its own again when the id has changed. */
export function connectionId(): string {
  return connection().id;
}

/**
 * Opens the file anew, which is another one by now. What has begun to read the earlier one has half a minute.
 *
 * @throws what opening it throws; the earlier connection stays then.
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
  }, EARLIER_STAYS_MS).unref();
}

/** The query builder on the site's one connection; the first use opens and migrates the file. */
export function database(): Kysely<Schema> {
  return connection().kysely;
}

/** The same connection, for the few statements that Kysely has no words for. */
export function sqliteHandle(): Sqlite.Database {
  return connection().sqlite;
}

/** From now on no statement holds the thread for another process's lock. See `write-lock.ts`. */
export function disableBusyTimeout(): void {
  sqliteHandle().pragma("busy_timeout = 0");
}

/**
 * Runs `work` as one immediate transaction: the only way to write more than one statement. All that it calls is
 * synchronous, so nothing else of this process can read or write in between.
 *
 * @param work built with `run-query.server.ts` and `prepared`.
 * @throws {DatabaseBusyError} when another process holds the lock for 2 seconds; what `work` throws, after
 *   the transaction was rolled back; immediately, in a transaction.
 */
export function transaction<T>(work: () => NotPromise<T>): Promise<T> {
  const sqlite = sqliteHandle();
  requireNoTransaction(sqlite);
  // better-sqlite3 throws, and rolls back, when the work returns a promise all the same.
  return whenUnlocked(sqlite, () => sqlite.transaction(work).immediate());
}

/**
 * The same for work that can be put off, now or never.
 *
 * @returns false when nothing was written, because somebody else is writing.
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

/** A statement on it, compiled once: that takes longer than most of them run. */
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

/** What keeps the derived data on it; `changes.server.ts` says when. */
export function projector(): Projector {
  return connection().projector;
}

/** Throws when the file cannot be read; a constant would be answered without it. */
export function checkDatabase(): void {
  sqliteHandle().prepare("SELECT catalogue FROM catalogue_version").get();
}

/** Closes the connection; the next use opens the file that the settings then name. */
export function closeDatabase(): void {
  const database = state();
  database.connection?.sqlite.close();
  database.connection = undefined;
}
