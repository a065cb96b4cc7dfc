import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { checkDatabase } from "~db/client.server";
import { isReplicaTooOld } from "./reader/read-replica.server";
import { settings } from "./settings.server";

const CHECKS = {
  database: checkDatabase,
  uploads: async () => {
    const folder = settings().uploadsDir;
    if (settings().readOnlyFrom) {
      await fs.access(folder, fs.constants.R_OK);
      return;
    }
    for (const bucket of ["videos", "thumbnails"]) {
      await fs.access(path.join(folder, bucket), fs.constants.W_OK);
    }
    // Write a file, because checking permissions wouldn't reveal a read-only mount or a full disk.
    const probe = path.join(folder, "tmp", `health-${randomUUID()}`);
    try {
      await fs.writeFile(probe, "x");
    } finally {
      // If the disk is full, the file exists but is empty.
      await fs.rm(probe, { force: true });
    }
  },
};

export type CheckName = keyof typeof CHECKS | "copy";

/** Returns the names of the failing checks, or an empty list if the site is healthy. */
export async function failingChecks(): Promise<CheckName[]> {
  const failing: CheckName[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      await check();
    } catch {
      failing.push(name as CheckName);
    }
  }
  if (settings().readOnlyFrom && !failing.includes("database")) {
    if (isReplicaTooOld()) failing.push("copy");
  }
  return failing;
}
