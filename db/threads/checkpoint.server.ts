import fs from "node:fs";
import { createYielder } from "~/shared/event-loop";
import { prepared, sqliteHandle, transaction } from "../client.server";
import { isReplicated } from "../litestream.server";
import { every } from "../runtime.server";
import { queryThread } from "./query-thread.server";

/**
 * A checkpoint moves the contents of the write-ahead log (`-wal`) into the database file and waits for the disk twice.
 * By default, SQLite runs it as part of the statement that makes the log exceed a certain length. Here, a thread runs
 * it, so that no request has to wait. If Litestream is used, Litestream runs the checkpoints and the site doesn't.
 */

const EVERY_MS = 1_000;
/**
 * The maximum length in pages, which is 64 MiB. If the log grows this long despite the thread, SQLite runs a checkpoint
 * immediately.
 */
const MAX_LOG_PAGES = 16_384;
/**
 * Litestream runs a checkpoint at 40 MB. If the log is this long, Litestream is no longer running and the log would
 * fill the disk. After a checkpoint by the site, Litestream has to start a new generation, which is the lesser evil.
 */
const ABANDONED_LOG_BYTES = 512 * 1024 ** 2;

/** Writing this many rows with their indexes fills about a third of `MAX_LOG_PAGES`. */
const ROWS_BETWEEN_CHECKPOINTS = 1_500;

/** Starts running checkpoints for the site's database. */
export function startCheckpoints(abandonedBytes = ABANDONED_LOG_BYTES): void {
  const sqlite = sqliteHandle();
  let lastWritten: number | undefined;
  let hasWarned = false;
  const setAutocheckpoint = (replicated: boolean) => {
    sqlite.pragma(`wal_autocheckpoint = ${replicated ? 0 : MAX_LOG_PAGES}`);
    return replicated;
  };
  setAutocheckpoint(isReplicated(sqlite));
  every(EVERY_MS, "run a checkpoint of the database", async () => {
    const written = fs.statSync(`${sqlite.name}-wal`, { throwIfNoEntry: false });
    if (!sqlite.open || !written || written.mtimeMs === lastWritten) return;
    lastWritten = written.mtimeMs;
    // Litestream may create its tables while the site is running.
    const replicated = setAutocheckpoint(isReplicated(sqlite));
    if (replicated && written.size < abandonedBytes) return;
    if (replicated && !hasWarned) {
      hasWarned = true;
      console.error(
        "Litestream isn't running: the database's write-ahead log is too long. The site now runs checkpoints itself. Start Litestream, or set LITESTREAM=off.",
      );
    }
    await queryThread("writing", "checkpoint", {});
  });
}

/**
 * Returns a function that long-running writes await after each transaction. It yields to the event loop, and runs a
 * checkpoint after many rows. With only one checkpoint per second, the log would grow until a statement had to wait for
 * the disk.
 */
export function createWriteYielder(): () => Promise<void> {
  const yieldIfDue = createYielder();
  let written = rowsWritten();
  return async () => {
    if (rowsWritten() - written < ROWS_BETWEEN_CHECKPOINTS) return yieldIfDue();
    if (!isReplicated(sqliteHandle())) await queryThread("writing", "checkpoint", {});
    written = rowsWritten();
  };
}

/**
 * Changes rows in batches, each in a separate transaction, so that others can write between batches.
 *
 * @param next returns the batch that follows `last`, the last element of the previous batch.
 * @param change changes one batch synchronously and returns the number of changes.
 * @returns the total number of changes.
 */
export async function changeInBatches<T>(
  next: (last: T | undefined) => readonly T[],
  change: (batch: readonly T[]) => number,
): Promise<number> {
  const yieldIfDue = createWriteYielder();
  let changed = 0;
  for (let batch = next(undefined); batch.length > 0; batch = next(batch.at(-1))) {
    const rows = batch;
    changed += await transaction(() => change(rows));
    await yieldIfDue();
  }
  return changed;
}

/** Returns the number of rows that this connection has written since it was opened. */
function rowsWritten(): number {
  return prepared<number>("SELECT total_changes()").pluck().get()!;
}
