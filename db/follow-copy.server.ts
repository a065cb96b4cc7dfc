import fs from "node:fs";
import { reopenDatabase, sqliteHandle } from "./client.server";
import { every } from "./runtime.server";

const LOOK_EVERY_MS = 1_000;

/**
 * Looks for a newer copy in place of the database file, and reads that from then on. One that cannot be used
 * is said once, and the earlier one read on.
 *
 * @param onNewer for what is kept of the database in memory.
 */
export function followCopy(onNewer: () => void): void {
  const file = sqliteHandle().name;
  let seen = identityOf(file);
  every(LOOK_EVERY_MS, "read the newer copy of the database", () => {
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

/** A file that was put there by renaming differs in one of these. */
function identityOf(file: string): string | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}
