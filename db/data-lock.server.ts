import { randomUUID } from "node:crypto";
import os from "node:os";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { processState } from "./runtime.server";

/** The folders belong to another process; its message is the sentence to print. */
export class DataLockError extends Error {}

/** Who holds a lock, as the holder has written it down. */
interface Holder {
  program: string;
  process: number;
  host: string;
  /** ISO 8601 UTC. */
  since: string;
}

/** Referenced for as long as the locks are held: a connection that is collected gives its lock back. */
const held = processState(
  "data locks",
  () => new Set<Sqlite.Database>(),
  (locks) => {
    for (const sqlite of locks) sqlite.close();
  },
);

/**
 * Locks the data of the site for this process, until it ends. Two servers on the same folders empty
 * each other's `uploads/tmp` and trash, and run each other's jobs.
 *
 * Each lock is a transaction that stays open on a small SQLite file of its own. So it is a lock of the
 * kernel on that file: it ends with the process, however that ends, and it holds between containers
 * that share a volume. The process number of a lock file would tell neither.
 *
 * @param waitMs how long a holder that is just leaving may take.
 * @returns a function that gives the locks back before that.
 * @throws {DataLockError} when another process holds one of them.
 */
export function lockData(
  { databasePath, uploadsDir }: { databasePath: string; uploadsDir: string },
  program: string,
  waitMs = 0,
): () => void {
  // The database and the uploads may be shared with different sites, so each has a lock.
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
 * Locks one file for this process, in the same way.
 *
 * @param what the message calls it.
 * @returns a function that gives the lock back.
 * @throws {DataLockError} when another process holds it; its cause is SQLite's error.
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
  held().add(sqlite);
  return () => {
    held().delete(sqlite);
    sqlite.close();
  };
}

function lock(file: string, what: string, holder: Holder, waitMs: number): Sqlite.Database {
  const sqlite = new Sqlite(file, { timeout: waitMs });
  try {
    const text = JSON.stringify({ ...holder, token: randomUUID() });
    for (;;) {
      // Immediate, not exclusive: others can still read who holds it.
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
    return `cannot be locked (${message}); where the file system knows no locks, set DATA_LOCK=off and take care that one process alone uses it.`;
  }
  const by = holderText(sqlite);
  const { program, process, host, since } = JSON.parse(by ?? "{}") as Partial<Holder>;
  const holder = by
    ? `${program}, process ${process} on ${host} since ${since}`
    : "another process";
  return `is in use by ${holder}; stop that first, or set DATA_LOCK=off if it is certain that it no longer runs.`;
}

function holderText(sqlite: Sqlite.Database): string | undefined {
  try {
    return sqlite.prepare<unknown[], string>("SELECT text FROM holder").pluck().get();
  } catch {
    // Nobody has ever held it.
    return undefined;
  }
}
