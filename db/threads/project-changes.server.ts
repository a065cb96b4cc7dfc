import type Sqlite from "better-sqlite3";
import { createProjector } from "../projector.server";
import { isBusy } from "../write-lock";

/** So many rows are projected in one transaction, some 0.1 s: for so long, others wait to write. */
const MAX_CONCURRENT = 1_500;
/** Of pages in memory: the index entries of a thousand rows are on thousands of pages. */
const CACHE_KIB = 64 * 1024;

/**
 * Takes a part of many changes into account.
 *
 * @returns false when nothing was written, because another connection is writing.
 */
export function projecting(sqlite: Sqlite.Database): () => boolean {
  sqlite.pragma("synchronous = NORMAL");
  sqlite.pragma(`cache_size = -${CACHE_KIB}`);
  // The other task of this thread brings the log into the file.
  sqlite.pragma("wal_autocheckpoint = 0");
  const { run, waiting } = createProjector(sqlite);
  // Until here, reading the schema may wait for one who closes the database and holds it alone.
  sqlite.pragma("busy_timeout = 0");
  return () => {
    try {
      run(MAX_CONCURRENT);
      if (waiting().last === null) sqlite.pragma("shrink_memory");
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  };
}
