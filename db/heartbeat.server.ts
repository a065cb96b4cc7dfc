import { sqliteHandle, tryWriteTransaction } from "./client.server";
import { isReplicated } from "./litestream.server";
import { every } from "./runtime.server";

/**
 * The heartbeat: while the database is replicated, the site writes the current time into it. Otherwise, nobody could
 * tell whether a replica is outdated or the database simply hasn't changed.
 */

const EVERY_MS = 10_000;

/** Starts writing heartbeats while the database is replicated. */
export function startHeartbeat(): void {
  const sqlite = sqliteHandle();
  every(EVERY_MS, "record the time in the database", () => beat(sqlite), { firstMs: 0 });
}

function beat(sqlite: ReturnType<typeof sqliteHandle>): void {
  if (!sqlite.open || !isReplicated(sqlite)) return;
  // If another process is writing, wait for the next heartbeat.
  tryWriteTransaction(() => {
    sqlite
      .prepare(
        "INSERT INTO heartbeat (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
      )
      .run(new Date().toISOString());
  });
}
