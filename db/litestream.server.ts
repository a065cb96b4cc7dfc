import fs from "node:fs";
import path from "node:path";
import type { Database } from "better-sqlite3";

/**
 * Litestream copies what is appended to the log of the database, so it alone may bring the log into the
 * file: who else does makes it begin anew, with a copy of the whole database.
 */

/** `auto`: as long as its tables are in the database, which it makes when it first sees it. */
export type LitestreamSetting = "auto" | "on" | "off";

/** Longer than this without a copy, while there was something to copy, and it does not run. */
const FOLLOWS_WITHIN_MS = 5_000;

// Set by the settings, which are evaluated again whenever this module is.
let litestreamSetting: () => LitestreamSetting = () => "auto";

/** Sets where the setting is read. The settings call it, because `db` depends on no other module. */
export function locateLitestream(setting: () => LitestreamSetting): void {
  litestreamSetting = setting;
}

/** Whether the log is left to Litestream. */
export function isReplicated(sqlite: Database): boolean {
  const setting = litestreamSetting();
  if (setting !== "auto") return setting === "on";
  const tables = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_litestream_seq'";
  return sqlite.prepare(tables).get() !== undefined;
}

/** The folder beside a database in which Litestream keeps what it has copied of the log. */
export function litestreamFolder(databaseFile: string): string {
  return path.join(path.dirname(databaseFile), `.${path.basename(databaseFile)}-litestream`);
}

export interface ReplicationState {
  /** `never`: there is no trace of it. */
  state: "following" | "behind" | "never";
  /** When it last copied something, milliseconds since 1970. */
  copiedAt: number | null;
}

/**
 * How Litestream is, by what it has copied beside the database. What of it has arrived at the replica
 * only Litestream's own metrics tell.
 */
export function replicationState(databaseFile: string, now = Date.now()): ReplicationState {
  const copiedAt = lastCopy(litestreamFolder(databaseFile));
  if (copiedAt === null) return { state: "never", copiedAt };
  const log = fs.statSync(`${databaseFile}-wal`, { throwIfNoEntry: false });
  const isBehind = log && log.mtimeMs > copiedAt && now - copiedAt > FOLLOWS_WITHIN_MS;
  return { state: isBehind ? "behind" : "following", copiedAt };
}

function lastCopy(folder: string): number | null {
  try {
    const generation = fs.readFileSync(path.join(folder, "generation"), "utf8").trim();
    const logs = path.join(folder, "generations", generation, "wal");
    const times = fs.readdirSync(logs).map((name) => fs.statSync(path.join(logs, name)).mtimeMs);
    return times.length > 0 ? Math.max(...times) : null;
  } catch {
    // It is not there yet, or begins a new generation at this moment.
    return null;
  }
}
