import { BackupError, BackupRunningError } from "./backup-files.server";
import type { BackupOptions } from "./backup-folder.server";
import { type CreatedBackup, createBackup } from "./create-backup.server";

/** The entry point of the process that creates one backup, reports the result to its parent over IPC, and exits. */

export type BackupResult =
  | { created: CreatedBackup }
  | { failure: string; kind: "running" | "expected" | "fault" };

async function run(options: BackupOptions): Promise<BackupResult> {
  try {
    return { created: await createBackup(options) };
  } catch (error) {
    if (error instanceof BackupRunningError) return { failure: error.message, kind: "running" };
    if (error instanceof BackupError) return { failure: error.message, kind: "expected" };
    return { failure: String((error as Error).stack ?? error), kind: "fault" };
  }
}

process.once("message", async (options: BackupOptions) => {
  process.send?.(await run(options), () => process.exit());
});
