import { sqliteHandle, tryWriteTransaction } from "./client.server";
import { isReplicated } from "./litestream.server";
import { every } from "./runtime.server";

/**
 * The heartbeat: while the database is replicated, the site writes the current time into it. Without the heartbeat, a
 * replica couldn't tell whether it is behind or nothing has changed.
 */

const EVERY_MS = 10_000;

/** Starts the heartbeat, which writes the time while the database is replicated. */
export function startHeartbeat(): void {
  const sqlite = sqliteHandle();
  every(EVERY_MS, "record the time in the database", () => beat(sqlite), { firstMs: 0 });
}

function beat(sqlite: ReturnType<typeof sqliteHandle>): void {
  if (!sqlite.open || !isReplicated(sqlite)) return;
  // If another process is writing, the next heartbeat will be soon enough.
  tryWriteTransaction(() => {
    sqlite
      .prepare(
        "INSERT INTO heartbeat (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
      )
      .run(new Date().toISOString());
  });
}
