import fs from "node:fs";
import { createYielder } from "~/shared/event-loop";
import { prepared, sqliteHandle, transaction } from "../client.server";
import { isReplicated } from "../litestream.server";
import { every } from "../runtime.server";
import { queryThread } from "./query-thread.server";

/**
 * Bringing what was written from the log (`-wal`) into the database file waits for the disk, twice.
 * SQLite does it in the middle of whatever statement makes the log long enough; here a thread does,
 * so that no request waits for it. Beside Litestream nobody does: it does so itself.
 */

const EVERY_MS = 1_000;
/** Pages, 64 MiB. A log that grows so long although the thread works at it is shortened at once. */
const LONGEST_LOG = 16_384;
/**
 * Litestream shortens the log at 40 MB. One that is so much longer has been abandoned by it, and would fill
 * the disk: what a checkpoint costs Litestream, a new generation, is the smaller harm.
 */
const ABANDONED_LOG_BYTES = 512 * 1024 ** 2;

/** Rows with their indexes, so many that the log has had a third of its longest. */
const ROWS_BETWEEN = 1_500;

/** Keeps the log of the site's database short from now on. */
export function startCheckpoints(abandonedBytes = ABANDONED_LOG_BYTES): void {
  const sqlite = sqliteHandle();
  let lastWritten: number | undefined;
  let hasSaidSo = false;
  const leaveLog = (replicated: boolean) => {
    sqlite.pragma(`wal_autocheckpoint = ${replicated ? 0 : LONGEST_LOG}`);
    return replicated;
  };
  leaveLog(isReplicated(sqlite));
  every(EVERY_MS, "bring the log into the database file", async () => {
    const written = fs.statSync(`${sqlite.name}-wal`, { throwIfNoEntry: false });
    if (!sqlite.open || !written || written.mtimeMs === lastWritten) return;
    lastWritten = written.mtimeMs;
    // Its tables may appear while the site runs.
    const replicated = leaveLog(isReplicated(sqlite));
    if (replicated && written.size < abandonedBytes) return;
    if (replicated && !hasSaidSo) {
      hasSaidSo = true;
      console.error(
        "The log of the database is long, so Litestream does not run: the site shortens the log itself. Start Litestream, or set LITESTREAM=off.",
      );
    }
    await queryThread("writing", "checkpoint", {});
  });
}

/**
 * The turns of long work that writes, to be awaited after each of its transactions: others have their
 * turn, and after many rows the log is brought into the file. Written faster than once a second shortens
 * it, the log would grow until a statement has to wait for the disk.
 */
export function createWriteYielder(): () => Promise<void> {
  const yieldIfDue = createYielder();
  let written = rowsWritten();
  return async () => {
    if (rowsWritten() - written < ROWS_BETWEEN) return yieldIfDue();
    if (!isReplicated(sqliteHandle())) await queryThread("writing", "checkpoint", {});
    written = rowsWritten();
  };
}

/**
 * Changes rows, a few in each transaction, so that others can write in between.
 *
 * @param next the next part, after the last one of the part before.
 * @param change synchronous, for one part.
 * @returns the sum of what `change` returns.
 */
export async function eachPart<T>(
  next: (last: T | undefined) => readonly T[],
  change: (part: readonly T[]) => number,
): Promise<number> {
  const yieldIfDue = createWriteYielder();
  let changed = 0;
  for (let part = next(undefined); part.length > 0; part = next(part.at(-1))) {
    const some = part;
    changed += await transaction(() => change(some));
    await yieldIfDue();
  }
  return changed;
}

/** By this connection, since it was opened. */
function rowsWritten(): number {
  return prepared<number>("SELECT total_changes()").pluck().get()!;
}
