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
  /** Whether the file system of the database supports locks. */
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
 * Applies the retention policy. While removals are paused, no backup is removed: one of them may be the only copy of
 * the right database.
 */
export async function withRetention(options: BackupOptions): Promise<BackupOptions> {
  // Not Infinity, which JSON turns into null on the way to the backup process.
  return (await removalsPausedBy()) ? { ...options, keep: Number.MAX_SAFE_INTEGER } : options;
}

/**
 * Checks BACKUP_DIR. The folder isn't created: if its disk isn't mounted, the backups would end up on the disk whose
 * failure they have to survive.
 *
 * @throws {SettingsError} if it is missing, not a folder or not writable, or if it contains or is inside UPLOADS_DIR.
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
      `BACKUP_DIR (${backups}) and UPLOADS_DIR (${uploads}) must be separate; set BACKUP_DIR to a folder outside, ideally on another disk.`,
    );
  }
}

function isInside(folder: string, parent: string): boolean {
  return folder === parent || folder.startsWith(parent + path.sep);
}

/**
 * The folders in BACKUP_DIR. A backup gets its final name only after it is verified. Names that start with a dot are of
 * backups that are being created or removed, or were when a process was killed.
 */

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;
const UNFINISHED = ".unfinished-";
const VERIFICATION = ".proof-";
const REMOVED = ".removed-";
const LEFTOVER = new RegExp(`^(${UNFINISHED}|${VERIFICATION}|${REMOVED})`.replaceAll(".", "\\."));

/** Returns the name of a backup that starts now. Names sort by time. */
export function newBackupName(now = new Date()): string {
  return now.toISOString().replaceAll(":", "-");
}

export const unfinishedFolder = (root: string, name: string) =>
  path.join(root, `${UNFINISHED}${name}`);
export const verificationFolder = (root: string, name: string) =>
  path.join(root, `${VERIFICATION}${name}`);

/**
 * Returns the names of the verified backups, the newest first. Names in the future were created while the clock was
 * wrong, so they come last.
 *
 * @param now the name that a backup would get now.
 */
export function storedBackups(root: string, now = newBackupName()): string[] {
  const names = fs
    .readdirSync(root)
    .filter((name) => NAME.test(name) && fs.existsSync(path.join(root, name, BACKUP.manifest)))
    .sort()
    .reverse();
  return [...names.filter((name) => name <= now), ...names.filter((name) => name > now)];
}

/** Removes what a killed process has left. Requires that no other backup is running. */
export function removeLeftovers(root: string): void {
  for (const name of fs.readdirSync(root)) {
    if (LEFTOVER.test(name)) remove(path.join(root, name));
  }
}

/**
 * Removes the oldest backups until `keep` are left.
 *
 * @param created the backup that was just created, which is kept even if the clock is wrong.
 */
export function removeOldest(root: string, keep: number, created: string): void {
  const others = storedBackups(root, created).filter((name) => name !== created);
  for (const name of others.slice(Math.max(0, keep - 1))) {
    // Renamed first, so that a partly removed backup is never mistaken for a complete one.
    const removed = path.join(root, `${REMOVED}${name}`);
    fs.renameSync(path.join(root, name), removed);
    remove(removed);
  }
}

function remove(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true });
}
