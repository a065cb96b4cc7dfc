import { randomUUID } from "node:crypto";
import os from "node:os";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { processState } from "./runtime.server";

/** Thrown if another process is using the data. Its message is for the operator. */
export class DataLockError extends Error {}

/** The process that holds a lock, as recorded in the lock file. */
interface Holder {
  program: string;
  process: number;
  host: string;
  /** ISO 8601 UTC. */
  since: string;
}

/**
 * The connections that hold locks. They are kept here because garbage collection of a connection would release its
 * lock.
 */
const heldLocks = processState(
  "data locks",
  () => new Set<Sqlite.Database>(),
  (locks) => {
    for (const sqlite of locks) sqlite.close();
  },
);

/**
 * Locks the site's data until this process ends. Two servers with the same data would empty each other's `uploads/tmp`
 * and trash, and run each other's jobs.
 *
 * Each lock is an open transaction on a small, separate SQLite file, on which SQLite therefore holds a kernel lock. The
 * kernel releases the lock when the process ends, even after a crash, and the lock also works between containers that
 * share a volume. Neither would be true of a lock file that contains a process id.
 *
 * @param waitMs how long to wait for a process that is shutting down.
 * @returns a function that releases the locks early.
 * @throws {DataLockError} if another process holds one of the locks.
 */
export function lockData(
  { databasePath, uploadsDir }: { databasePath: string; uploadsDir: string },
  program: string,
  waitMs = 0,
): () => void {
  // Lock the database and the uploads separately, because another site might use only one of the two.
  const database = path.resolve(databasePath);
  const releaseDatabase = lockFile(`${databasePath}.lock`, program, database, waitMs);
  try {
    const uploads = path.resolve(uploadsDir);
    const releaseUploads = lockFile(path.join(uploadsDir, ".lock"), program, uploads, waitMs);
    return () => {
      releaseDatabase();
      releaseUploads();
    };
  } catch (error) {
    releaseDatabase();
    throw error;
  }
}

/**
 * Locks one file in the same way as the site's data.
 *
 * @param what the name of the protected data, for the error message.
 * @returns a function that releases the lock.
 * @throws {DataLockError} if another process holds the lock. Its cause is SQLite's error.
 */
export function lockFile(
  file: string,
  program: string,
  what = path.resolve(file),
  waitMs = 0,
): () => void {
  const since = new Date().toISOString();
  const holder = { program, process: process.pid, host: os.hostname(), since };
  const sqlite = lock(file, what, holder, waitMs);
  heldLocks().add(sqlite);
  return () => {
    heldLocks().delete(sqlite);
    sqlite.close();
  };
}

function lock(file: string, what: string, holder: Holder, waitMs: number): Sqlite.Database {
  const sqlite = new Sqlite(file, { timeout: waitMs });
  try {
    const text = JSON.stringify({ ...holder, token: randomUUID() });
    for (;;) {
      // The transaction is immediate rather than exclusive, so that other processes can still read which process holds
      // the lock.
      sqlite.exec("BEGIN IMMEDIATE");
      if (holderText(sqlite) === text) return sqlite;
      sqlite.exec("DROP TABLE IF EXISTS holder; CREATE TABLE holder (text TEXT NOT NULL)");
      sqlite.prepare("INSERT INTO holder VALUES (?)").run(text);
      sqlite.exec("COMMIT");
    }
  } catch (error) {
    const message = `${what} ${reasonOf(error, sqlite)}`;
    sqlite.close();
    throw new DataLockError(message, { cause: error });
  }
}

function reasonOf(error: unknown, sqlite: Sqlite.Database): string {
  const { code = "", message } = error as { code?: string; message: string };
  if (!code.startsWith("SQLITE_BUSY")) {
    return `can't be locked (${message}). If the file system doesn't support locks, set DATA_LOCK=off and make sure that only one process uses it.`;
  }
  const by = holderText(sqlite);
  const { program, process, host, since } = JSON.parse(by ?? "{}") as Partial<Holder>;
  const holder = by
    ? `${program}, process ${process} on ${host} since ${since}`
    : "another process";
  return `is in use by ${holder}. Stop that process first, or set DATA_LOCK=off if you are sure that it no longer runs.`;
}

function holderText(sqlite: Sqlite.Database): string | undefined {
  try {
    return sqlite.prepare<unknown[], string>("SELECT text FROM holder").pluck().get();
  } catch {
    // The file has never been locked.
    return undefined;
  }
}
