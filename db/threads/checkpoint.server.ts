import fs from "node:fs";
import { sqliteHandle } from "../client.server";
import { queryThread } from "./query-thread.server";

/**
 * Bringing what was written from the log (`-wal`) into the database file waits for the disk, twice.
 * SQLite does it in the middle of whatever statement makes the log long enough; here a thread does,
 * so that no request waits for it.
 */

const EVERY_MS = 1_000;
/** Pages, 64 MiB. A log that grows so long although the thread works at it is shortened at once. */
export const LONGEST_LOG = 16_384;

/** Keeps the log of the site's database short from now on. */
export function startCheckpoints(): void {
  const sqlite = sqliteHandle();
  sqlite.pragma(`wal_autocheckpoint = ${LONGEST_LOG}`);
  let lastWritten: number | undefined;
  setInterval(() => {
    const written = fs.statSync(`${sqlite.name}-wal`, { throwIfNoEntry: false });
    if (!sqlite.open || !written || written.mtimeMs === lastWritten) return;
    lastWritten = written.mtimeMs;
    queryThread("writing", "checkpoint", {}).catch(console.error);
  }, EVERY_MS).unref();
}
