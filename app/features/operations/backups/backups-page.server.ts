import fs from "node:fs";
import { DELETED_ACCOUNT } from "~/platform/activity/activity-labels";
import { settings } from "~/platform/settings.server";
import { database } from "~db/client.server";
import { siteReplication } from "~db/replication.server";
import type { BackupRow } from "~db/schema/operations";
import { backupOptions, storedBackups } from "./backup-folder.server";
import { lastDue, lastVerified, nextDue, runningSince } from "./backup-records.server";

const PAGE_SIZE = 30;

/** A backup as shown on the page. Times are in ISO 8601 format (UTC). */
export interface ListedBackup extends Omit<BackupRow, "user_id" | "due_at" | "name"> {
  isScheduled: boolean;
  /** The user who requested the backup; null if it was requested on the command line. */
  by: string | null;
}

export type BackupsPage = Awaited<ReturnType<typeof readBackupsPage>>;

export async function readBackupsPage(now = Date.now()) {
  const options = backupOptions();
  const [lastBackup] = await list(1, "done");
  const everyMs = settings().backupEveryMs;
  return {
    /** The backup schedule; undefined if BACKUP_DIR is unset. */
    schedule: options && {
      folder: options.folder,
      everyMs,
      keep: options.keep,
      withUploads: options.withUploads,
      nextAt: new Date(nextDue(await lastDue(), everyMs, now)).toISOString(),
      stored: countStored(options.folder),
    },
    /** The state of Litestream; null if Litestream isn't used. */
    replication: siteReplication(now) ?? null,
    runningSince: (await runningSince()) ?? null,
    lastVerified: lastBackup ?? null,
    last: await list(PAGE_SIZE),
  };
}

/** Returns the time of the last verified backup for the statistics page, or null if there is none. */
export async function lastVerifiedAt(): Promise<string | null> {
  return (await lastVerified())?.started_at ?? null;
}

/** Returns the most recent backups, newest first. */
async function list(most: number, state?: BackupRow["state"]): Promise<ListedBackup[]> {
  const rows = await database()
    .selectFrom("backups")
    .leftJoin("users", "users.id", "user_id")
    .selectAll("backups")
    .select("email")
    .$if(state !== undefined, (query) => query.where("state", "=", state!))
    .orderBy("backups.id", "desc")
    .limit(most)
    .execute();
  return rows.map(({ user_id, due_at, name: _, email, ...row }) => ({
    ...row,
    isScheduled: due_at !== null,
    by: user_id && (email ?? DELETED_ACCOUNT),
  }));
}

function countStored(folder: string): number | null {
  try {
    return fs.existsSync(folder) ? storedBackups(folder).length : null;
  } catch {
    return null;
  }
}
