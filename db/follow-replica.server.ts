import fs from "node:fs";
import { reopenDatabase, sqliteHandle } from "./client.server";
import { every } from "./runtime.server";

const CHECK_EVERY_MS = 1_000;

/**
 * Switches to the new replica whenever the database file is replaced. If the new replica can't be used, logs that once
 * and keeps using the old one.
 *
 * @param onNewer clears the data that is cached from the database.
 */
export function followReplica(onNewer: () => void): void {
  const file = sqliteHandle().name;
  let seen = identityOf(file);
  every(CHECK_EVERY_MS, "open the newer copy of the database", () => {
    const now = identityOf(file);
    if (now === undefined || now === seen) return;
    seen = now;
    try {
      reopenDatabase();
      onNewer();
    } catch (error) {
      console.error((error as Error).message);
    }
  });
}

/** Returns a string that identifies the file at a path. It changes if another file is renamed to that path. */
function identityOf(file: string): string | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}
