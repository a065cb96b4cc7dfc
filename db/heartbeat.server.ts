import { sqliteHandle, tryWriteTransaction } from "./client.server";
import { isReplicated } from "./litestream.server";
import { every } from "./runtime.server";

/**
 * A copy of the database cannot tell whether nothing has happened since its last row, or whether it has not
 * been told. So where the database is copied, the site writes the time into it.
 */

const EVERY_MS = 10_000;

/** Writes the time from now on, as long as the database is copied. */
export function startHeartbeat(): void {
  const sqlite = sqliteHandle();
  every(EVERY_MS, "write the time into the database", () => beat(sqlite), { firstMs: 0 });
}

function beat(sqlite: ReturnType<typeof sqliteHandle>): void {
  if (!sqlite.open || !isReplicated(sqlite)) return;
  // While another process is writing, the next one is soon enough.
  tryWriteTransaction(() => {
    sqlite
      .prepare(
        "INSERT INTO heartbeat (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
      )
      .run(new Date().toISOString());
  });
}
