import fs from "node:fs";
import path from "node:path";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { SettingsError, settings } from "~/platform/settings.server";
import { BACKUP, secretFile } from "./backup-files.server";

export interface BackupOptions {
  databasePath: string;
  uploadsDir: string;
  secretFile: string;
  folder: string;
  keep: number;
  withUploads: boolean;
  /** Whether the database's file system supports locks. */
  hasLocks: boolean;
}

/** Returns the backup options from the settings; undefined if BACKUP_DIR is unset. */
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
 * Applies the retention policy. While removals are paused, no backup is removed, because one of them may be the only
 * copy of the correct database.
 */
export async function withRetention(options: BackupOptions): Promise<BackupOptions> {
  // Infinity isn't used, because JSON would turn it into null when the options are sent to the backup process.
  return (await removalsPausedBy()) ? { ...options, keep: Number.MAX_SAFE_INTEGER } : options;
}

/**
 * Checks BACKUP_DIR. The folder isn't created: if its disk isn't mounted, the backups would otherwise end up on the
 * very disk whose failure they must survive.
 *
 * @throws {SettingsError} if the folder is missing, not a folder or not writable, or if it contains or is inside
 * UPLOADS_DIR.
 */
export function requireBackupFolder(): void {
  const { backupDir, uploadsDir } = settings();
  if (!backupDir) return;
  const folder = path.resolve(backupDir);
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SettingsError(
      `BACKUP_DIR needs the folder ${folder}, which doesn't exist. Create it, mount its disk, or unset BACKUP_DIR.`,
    );
  }
  try {
    fs.rmdirSync(fs.mkdtempSync(unfinishedFolder(folder, "check")));
  } catch {
    throw new SettingsError(
      `BACKUP_DIR needs the folder ${folder}, which this user can't write to. Change its owner, or set BACKUP_DIR to another path.`,
    );
  }
  const [backups, uploads] = [fs.realpathSync(folder), fs.realpathSync(uploadsDir)];
  if (isInside(backups, uploads) || isInside(uploads, backups)) {
    throw new SettingsError(
      `BACKUP_DIR (${backups}) and UPLOADS_DIR (${uploads}) must be separate. Set BACKUP_DIR to a folder outside UPLOADS_DIR, ideally on another disk.`,
    );
  }
}

function isInside(folder: string, parent: string): boolean {
  return folder === parent || folder.startsWith(parent + path.sep);
}

/**
 * The names of the folders in BACKUP_DIR. A backup only gets its final name after it has been verified. A name that
 * starts with a dot belongs to a backup that is being created or removed, or whose creation or removal was interrupted
 * because the process was killed.
 */

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;
const UNFINISHED = ".unfinished-";
const VERIFICATION = ".proof-";
const REMOVED = ".removed-";
const LEFTOVER = new RegExp(`^(${UNFINISHED}|${VERIFICATION}|${REMOVED})`.replaceAll(".", "\\."));

/** Returns the name for a backup that starts now. Sorting backups by name sorts them by time. */
export function newBackupName(now = new Date()): string {
  return now.toISOString().replaceAll(":", "-");
}

export const unfinishedFolder = (root: string, name: string) =>
  path.join(root, `${UNFINISHED}${name}`);
export const verificationFolder = (root: string, name: string) =>
  path.join(root, `${VERIFICATION}${name}`);

/**
 * Returns the names of the verified backups, newest first. Backups with a time in the future were created while the
 * clock was wrong, so they come last.
 *
 * @param now the name that a backup created now would get.
 */
export function storedBackups(root: string, now = newBackupName()): string[] {
  const names = fs
    .readdirSync(root)
    .filter((name) => NAME.test(name) && fs.existsSync(path.join(root, name, BACKUP.manifest)))
    .sort()
    .reverse();
  return [...names.filter((name) => name <= now), ...names.filter((name) => name > now)];
}

/** Removes the files that a killed process has left behind. Must not be called while another backup is running. */
export function removeLeftovers(root: string): void {
  for (const name of fs.readdirSync(root)) {
    if (LEFTOVER.test(name)) remove(path.join(root, name));
  }
}

/**
 * Removes the oldest backups until only `keep` are left.
 *
 * @param created the backup that was just created, which is always kept, even if the clock is wrong.
 */
export function removeOldest(root: string, keep: number, created: string): void {
  const others = storedBackups(root, created).filter((name) => name !== created);
  for (const name of others.slice(Math.max(0, keep - 1))) {
    // The folder is renamed first, so that a partly removed backup is never mistaken for a complete one.
    const removed = path.join(root, `${REMOVED}${name}`);
    fs.renameSync(path.join(root, name), removed);
    remove(removed);
  }
}

function remove(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true });
}
