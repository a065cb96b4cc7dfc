import type Sqlite from "better-sqlite3";
import { createProjector } from "../projector.server";
import { isBusy } from "../write-lock";

/** The number of rows per transaction. Projecting them takes about 0.1 s, during which other writers wait. */
const ROWS_PER_TRANSACTION = 1_500;
/** The size of the page cache. The index entries for a thousand rows are on thousands of pages. */
const CACHE_KIB = 64 * 1024;

/**
 * Returns a function that projects a batch of the pending changes. The function returns false if nothing was written
 * because another connection is writing.
 */
export function createProjectTask(sqlite: Sqlite.Database): () => boolean {
  sqlite.pragma("synchronous = NORMAL");
  sqlite.pragma(`cache_size = -${CACHE_KIB}`);
  // Another task in this thread runs the checkpoints.
  sqlite.pragma("wal_autocheckpoint = 0");
  const { run, waiting } = createProjector(sqlite);
  // Don't set the timeout to 0 earlier, because reading the schema may have to wait until another connection has closed
  // the database.
  sqlite.pragma("busy_timeout = 0");
  return () => {
    try {
      run(ROWS_PER_TRANSACTION);
      if (waiting().last === null) sqlite.pragma("shrink_memory");
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  };
}
