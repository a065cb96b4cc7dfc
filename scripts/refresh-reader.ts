// npm run refresh-reader: updates a reader's database file from a Litestream replica.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { settings } from "~/platform/settings.server";
import { DatabaseFileError, requireUndamaged } from "~db/database-file.server";
import { requireReplica } from "~db/reader-database.server";
import { UsageError } from "./prompt";
import { RestoreError } from "./restore-error";
import { runScript } from "./run-script";

const USAGE = `npm run refresh-reader -- [REPLICA] [--every SECONDS]

Restores the latest state of a Litestream replica (file:///folder or s3://bucket/path, default:
LITESTREAM_REPLICA_URL) and replaces DATABASE_PATH with it. A running reader switches to the new file.
Requires litestream.
  --every SECONDS  repeat every SECONDS; failures are logged and retried`;

/** The offset of the file format's write version in the header of a SQLite file. That version is 2 in WAL mode. */
const WRITE_VERSION_OFFSET = 18;
const WAL_MODE = 2;

await runScript(
  USAGE,
  { every: { type: "string" } },
  async ({ every }, [replica = process.env.LITESTREAM_REPLICA_URL, ...rest]) => {
    const seconds = every === undefined ? undefined : Number(every);
    if (!replica || rest.length > 0 || (seconds !== undefined && !(seconds >= 1))) {
      throw new UsageError(`Specify a replica and a valid number of seconds.\n\n${USAGE}`);
    }
    const { databasePath } = settings();
    for (;;) {
      try {
        refresh(replica, databasePath);
      } catch (error) {
        if (seconds === undefined || !(error instanceof Error)) throw error;
        console.error(error.message);
      }
      if (seconds === undefined) return;
      await setTimeout(seconds * 1000);
    }
  },
);

function refresh(replica: string, file: string): void {
  requireReplaceable(file);
  fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  const next = `${file}.next`;
  removeCopy(next);
  try {
    restore(replica, next);
    prepare(next, replica);
    requireReplaceable(file);
    fs.renameSync(next, file);
    console.log(`Updated ${file} to the latest state of ${replica}.`);
  } finally {
    removeCopy(next);
  }
}

function restore(replica: string, file: string): void {
  const { error, stderr } = spawnSync("litestream", ["restore", "-o", file, replica], {
    encoding: "utf8",
  });
  if (error) throw new RestoreError(`litestream couldn't be run (${error.message}).`);
  if (!fs.existsSync(file)) {
    throw new RestoreError(`Litestream didn't restore anything from ${replica}:\n${stderr.trim()}`);
  }
}

/**
 * Takes the file out of WAL mode, so that it can be read from a read-only folder and isn't mistaken for a primary's
 * database.
 */
function prepare(file: string, replica: string): void {
  const sqlite = new Sqlite(file);
  try {
    requireUndamaged(sqlite);
    requireReplica(sqlite, replica);
    sqlite.pragma("journal_mode = DELETE");
  } finally {
    sqlite.close();
  }
  fs.chmodSync(file, 0o600);
}

/**
 * Checks that the file doesn't belong to a primary, or to a promoted reader. Their databases are in WAL mode, even
 * while the site is stopped.
 *
 * @throws {DatabaseFileError}
 */
function requireReplaceable(file: string): void {
  if (!fs.existsSync(file)) return;
  const header = Buffer.alloc(WRITE_VERSION_OFFSET + 1);
  const descriptor = fs.openSync(file, "r");
  fs.readSync(descriptor, header);
  fs.closeSync(descriptor);
  if (header[WRITE_VERSION_OFFSET] !== WAL_MODE) return;
  throw new DatabaseFileError(
    `DATABASE_PATH (${path.resolve(file)}) is the database of a site, so it isn't replaced. Set DATABASE_PATH to another file for the reader.`,
  );
}

function removeCopy(file: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal", ".tmp", ".tmp-wal", ".tmp-shm"]) {
    fs.rmSync(file + suffix, { force: true });
  }
}
