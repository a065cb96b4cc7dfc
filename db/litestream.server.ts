import fs from "node:fs";
import path from "node:path";
import type { Database } from "better-sqlite3";

/**
 * Litestream copies everything that is appended to the write-ahead log (WAL), so only Litestream may run checkpoints.
 * After a checkpoint by any other process, Litestream starts a new generation with a copy of the whole database.
 */

/** `auto`: on while the database has Litestream's tables, which Litestream creates when it first opens a database. */
export type LitestreamSetting = "auto" | "on" | "off";

/** If the log is newer than the last copy, and that copy is older than this, Litestream isn't running. */
const MAX_LAG_MS = 5_000;

// The settings module sets this; it is reevaluated whenever this module is.
let litestreamSetting: () => LitestreamSetting = () => "auto";

/** Sets the function that reads the setting. The settings module calls this, because `db` doesn't depend on it. */
export function configureLitestream(setting: () => LitestreamSetting): void {
  litestreamSetting = setting;
}

/** Whether checkpoints are left to Litestream. */
export function isReplicated(sqlite: Database): boolean {
  const setting = litestreamSetting();
  if (setting !== "auto") return setting === "on";
  const tables = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_litestream_seq'";
  return sqlite.prepare(tables).get() !== undefined;
}

/** Returns the folder next to a database in which Litestream stores the log segments that it has copied. */
export function litestreamFolder(databaseFile: string): string {
  return path.join(path.dirname(databaseFile), `.${path.basename(databaseFile)}-litestream`);
}

export interface ReplicationState {
  /** `never`: Litestream has copied nothing yet. */
  state: "following" | "behind" | "never";
  /** When Litestream last copied something, in milliseconds since the epoch. */
  copiedAt: number | null;
}

/**
 * Returns Litestream's state, based on the log segments next to the database. Only Litestream's metrics show how much
 * of them has reached the replica.
 */
export function replicationState(databaseFile: string, now = Date.now()): ReplicationState {
  const copiedAt = lastCopy(litestreamFolder(databaseFile));
  if (copiedAt === null) return { state: "never", copiedAt };
  const log = fs.statSync(`${databaseFile}-wal`, { throwIfNoEntry: false });
  const isBehind = log && log.mtimeMs > copiedAt && now - copiedAt > MAX_LAG_MS;
  return { state: isBehind ? "behind" : "following", copiedAt };
}

function lastCopy(folder: string): number | null {
  try {
    const generation = fs.readFileSync(path.join(folder, "generation"), "utf8").trim();
    const logs = path.join(folder, "generations", generation, "wal");
    const times = fs.readdirSync(logs).map((name) => fs.statSync(path.join(logs, name)).mtimeMs);
    return times.length > 0 ? Math.max(...times) : null;
  } catch {
    // The folder doesn't exist yet, or Litestream is starting a new generation.
    return null;
  }
}
