// npm run refresh-reader: brings the newest state of a replica into the database file of a reader.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { settings } from "~/platform/settings.server";
import { DatabaseFileError, requireUndamaged } from "~db/database-file.server";
import { requireCopy } from "~db/reader-database.server";
import { UsageError } from "./ask";
import { RestoreError } from "./restore-error";
import { runScript } from "./run-script";

const USAGE = `npm run refresh-reader -- [REPLICA] [--every SECONDS]

Restores the newest state of a replica of Litestream (file:///folder or s3://bucket/path; unset
LITESTREAM_REPLICA_URL) and puts it in place of DATABASE_PATH, from which a reader takes it up. It needs
the program litestream.
  --every SECONDS  refreshes every SECONDS; failures are logged and retried`;

/** In the header of an SQLite file, the version of what writes it: 2 with a log beside the file. */
const WRITE_VERSION_OFFSET = 18;
const WITH_LOG = 2;

await runScript(
  USAGE,
  { every: { type: "string" } },
  async ({ every }, [replica = process.env.LITESTREAM_REPLICA_URL, ...rest]) => {
    const seconds = every === undefined ? undefined : Number(every);
    if (!replica || rest.length > 0 || (seconds !== undefined && !(seconds >= 1))) {
      throw new UsageError(`A replica has to be named, and a number of seconds.\n\n${USAGE}`);
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
    console.log(`${file} is the newest state of ${replica}.`);
  } finally {
    removeCopy(next);
  }
}

function restore(replica: string, file: string): void {
  const { error, stderr } = spawnSync("litestream", ["restore", "-o", file, replica], {
    encoding: "utf8",
  });
  if (error) throw new RestoreError(`The program litestream could not be run (${error.message}).`);
  if (!fs.existsSync(file)) {
    throw new RestoreError(`Litestream has restored nothing from ${replica}:\n${stderr.trim()}`);
  }
}

/** One file without a log beside it: that it can be read where nobody may write, and be told from a site's own. */
function prepare(file: string, replica: string): void {
  const sqlite = new Sqlite(file);
  try {
    requireUndamaged(sqlite);
    requireCopy(sqlite, replica);
    sqlite.pragma("journal_mode = DELETE");
  } finally {
    sqlite.close();
  }
  fs.chmodSync(file, 0o600);
}

/**
 * A site that writes has its database in WAL mode, also while it is stopped. So what is refreshed is never
 * the database of one, nor of a reader that has been promoted.
 *
 * @throws {DatabaseFileError}
 */
function requireReplaceable(file: string): void {
  if (!fs.existsSync(file)) return;
  const header = Buffer.alloc(WRITE_VERSION_OFFSET + 1);
  const descriptor = fs.openSync(file, "r");
  fs.readSync(descriptor, header);
  fs.closeSync(descriptor);
  if (header[WRITE_VERSION_OFFSET] !== WITH_LOG) return;
  throw new DatabaseFileError(
    `DATABASE_PATH (${path.resolve(file)}) belongs to a site that writes to it, so it is not replaced; a reader needs a file of its own.`,
  );
}

function removeCopy(file: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal", ".tmp", ".tmp-wal", ".tmp-shm"]) {
    fs.rmSync(file + suffix, { force: true });
  }
}
