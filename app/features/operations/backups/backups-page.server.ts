import fs from "node:fs";
import { DELETED_ACCOUNT } from "~/platform/activity/activity-labels";
import { settings } from "~/platform/settings.server";
import { database } from "~db/client.server";
import type { ReplicationState } from "~db/litestream.server";
import { siteReplication } from "~db/replication.server";
import type { BackupRow } from "~db/schema/operations";
import { backupOptions, storedBackups } from "./backup-folder.server";
import { lastBackups, lastDue, lastProved, nextDue, runningSince } from "./backup-records.server";

const SHOWN = 30;

/** A backup as the page lists it. Times are ISO 8601 UTC. */
export interface ListedBackup extends Omit<BackupRow, "user_id" | "due_at" | "name"> {
  isTimed: boolean;
  /** Who requested it; null for the command line. */
  by: string | null;
}

export interface BackupsPage {
  /** Undefined while BACKUP_DIR is unset. */
  timetable?: {
    folder: string;
    everyMs: number;
    keep: number;
    withUploads: boolean;
    nextAt: string;
    /** The backups that are in the folder; null when it can't be read. */
    stored: number | null;
  };
  /** Null where Litestream is not used. */
  replication: ReplicationState | null;
  runningSince: string | null;
  proved: ListedBackup | null;
  last: ListedBackup[];
}

export async function readBackupsPage(now = Date.now()): Promise<BackupsPage> {
  const options = backupOptions();
  const rows = await lastBackups(SHOWN);
  const proved = await lastProved();
  const emails = await emailsOf([...rows, ...(proved ? [proved] : [])].map((row) => row.user_id));
  const listed = ({ user_id, due_at, name: _, ...row }: BackupRow): ListedBackup => ({
    ...row,
    isTimed: due_at !== null,
    by: user_id && (emails.get(user_id) ?? DELETED_ACCOUNT),
  });
  const everyMs = settings().backupEveryMs;
  return {
    timetable: options && {
      folder: options.folder,
      everyMs,
      keep: options.keep,
      withUploads: options.withUploads,
      nextAt: new Date(nextDue(await lastDue(), everyMs, now)).toISOString(),
      stored: countStored(options.folder),
    },
    replication: siteReplication(now) ?? null,
    runningSince: (await runningSince()) ?? null,
    proved: proved ? listed(proved) : null,
    last: rows.map(listed),
  };
}

/** When the last proved backup was made, for the page of statistics; null when there is none. */
export async function lastProvedAt(): Promise<string | null> {
  return (await lastProved())?.started_at ?? null;
}

async function emailsOf(ids: (string | null)[]): Promise<Map<string, string>> {
  const users = await database()
    .selectFrom("users")
    .select(["id", "email"])
    .where(
      "id",
      "in",
      ids.filter((id) => id !== null),
    )
    .execute();
  return new Map(users.map(({ id, email }) => [id, email]));
}

function countStored(folder: string): number | null {
  try {
    return fs.existsSync(folder) ? storedBackups(folder).length : null;
  } catch {
    return null;
  }
}
