import fs from "node:fs";
import path from "node:path";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { SettingsError, settings } from "~/platform/settings.server";
import { secretFile } from "./backup-files.server";
import type { BackupOptions } from "./make-backup.server";
import { unfinishedFolder } from "./stored-backups.server";

/** What a backup needs of the settings; undefined while BACKUP_DIR is unset. */
export function backupOptions(): BackupOptions | undefined {
  const { backupDir, backupKeep, backupUploads, databasePath, uploadsDir, dataLock } = settings();
  if (!backupDir) return undefined;
  return {
    databasePath,
    uploadsDir,
    secretFile: secretFile(),
    folder: path.resolve(backupDir),
    keep: backupKeep,
    withUploads: backupUploads,
    hasLocks: dataLock,
  };
}

/**
 * Returns the options with which a backup removes older ones. All stay while removals are paused: one of them may be
 * the only copy of the right database.
 */
export async function withRetention(options: BackupOptions): Promise<BackupOptions> {
  // Not Infinity, which JSON turns into null on the way to the backup process.
  return (await removalsPausedBy()) ? { ...options, keep: Number.MAX_SAFE_INTEGER } : options;
}

/**
 * Checks BACKUP_DIR. It is not created: on a disk that is not mounted the backups would go to the one
 * that they are to survive.
 *
 * @throws {SettingsError} when it is missing, no folder, can't be written to, or is inside UPLOADS_DIR or
 *   around it.
 */
export function requireBackupFolder(): void {
  const { backupDir, uploadsDir } = settings();
  if (!backupDir) return;
  const folder = path.resolve(backupDir);
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SettingsError(
      `BACKUP_DIR needs the folder ${folder}, which does not exist; create it, mount its disk, or unset BACKUP_DIR.`,
    );
  }
  try {
    fs.rmdirSync(fs.mkdtempSync(unfinishedFolder(folder, "check")));
  } catch {
    throw new SettingsError(
      `BACKUP_DIR needs the folder ${folder}, which this account cannot write to; change its owner, or set BACKUP_DIR to another path.`,
    );
  }
  const [backups, uploads] = [fs.realpathSync(folder), fs.realpathSync(uploadsDir)];
  if (isInside(backups, uploads) || isInside(uploads, backups)) {
    throw new SettingsError(
      `BACKUP_DIR (${backups}) and UPLOADS_DIR (${uploads}) must be apart; set BACKUP_DIR to a folder outside, best on another disk.`,
    );
  }
}

function isInside(folder: string, parent: string): boolean {
  return folder === parent || folder.startsWith(parent + path.sep);
}
