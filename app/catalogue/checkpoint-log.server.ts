import type Sqlite from "better-sqlite3";

export interface CheckpointQuestion {
  file: string;
}
export interface CheckpointAnswer {
  /** Pages in the log, and how many of them the file has now. */
  log: number;
  checkpointed: number;
}

/** Brings the log of a database into its file. Writers and readers go on meanwhile. */
export function checkpointer(sqlite: Sqlite.Database) {
  return (_: CheckpointQuestion): CheckpointAnswer => {
    const [{ log, checkpointed }] = sqlite.pragma("wal_checkpoint(PASSIVE)") as [CheckpointAnswer];
    return { log, checkpointed };
  };
}
