import type Sqlite from "better-sqlite3";

/** Brings the log of a database into its file. Writers and readers go on meanwhile. */
export function checkpointer(sqlite: Sqlite.Database) {
  return (): void => {
    sqlite.pragma("wal_checkpoint(PASSIVE)");
  };
}
