import fs from "node:fs";
import Sqlite from "better-sqlite3";

/** How long to wait while another process is writing. */
const BUSY_TIMEOUT_MS = 5_000;
/** The number of pages copied per step. Signals are handled between steps. */
const PAGES_AT_ONCE = 4_096;

export type TableCounts = Record<string, number>;

/**
 * Copies a consistent snapshot of a database while other processes are writing to it, and counts its rows. The
 * connection's read transaction ensures that the copy and the row counts come from the same snapshot.
 */
export async function copyDatabase(from: string, to: string): Promise<TableCounts> {
  const partial = `${to}.partial`;
  for (const suffix of ["", "-wal", "-shm", "-journal"]) {
    fs.rmSync(partial + suffix, { force: true });
  }
  fs.closeSync(fs.openSync(partial, "a", 0o600));
  const sqlite = new Sqlite(from, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  let tables: TableCounts;
  try {
    sqlite.exec("BEGIN");
    tables = countTables(sqlite);
    await sqlite.backup(partial, { progress: () => PAGES_AT_ONCE });
    sqlite.exec("COMMIT");
  } finally {
    sqlite.close();
  }
  // Turns the copy into a single file that has no write-ahead log, even while it is being read.
  const copied = new Sqlite(partial);
  copied.pragma("journal_mode = DELETE");
  copied.close();
  fs.renameSync(partial, to);
  return tables;
}

export function countTables(sqlite: Sqlite.Database): TableCounts {
  const names = sqlite
    .prepare<unknown[], string>(
      `SELECT name FROM pragma_table_list
       WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY name`,
    )
    .pluck()
    .all();
  return Object.fromEntries(
    names.map((name) => [
      name,
      sqlite.prepare<unknown[], number>(`SELECT count(*) FROM "${name}"`).pluck().get()!,
    ]),
  );
}

/** Returns the result of SQLite's integrity_check for a database file: `ok`, or a description of the damage. */
export function checkIntegrity(file: string): string {
  try {
    const sqlite = new Sqlite(file, { readonly: true });
    try {
      return String(sqlite.pragma("integrity_check(1)", { simple: true }));
    } finally {
      sqlite.close();
    }
  } catch (error) {
    return (error as Error).message;
  }
}
