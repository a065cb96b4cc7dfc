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
  /** Whether the file system of the database knows locks. */
  hasLocks: boolean;
}

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

/**
 * The backups below BACKUP_DIR. A folder has its name only once it is proved: what begins with a dot
 * is being made or removed, or was when a process was killed.
 */

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;
const UNFINISHED = ".unfinished-";
const PROOF = ".proof-";
const REMOVED = ".removed-";
const LEFTOVER = new RegExp(`^(${UNFINISHED}|${PROOF}|${REMOVED})`.replaceAll(".", "\\."));

/** The name of a backup that begins now; names sort by time. */
export function newName(now = new Date()): string {
  return now.toISOString().replaceAll(":", "-");
}

export const unfinishedFolder = (root: string, name: string) =>
  path.join(root, `${UNFINISHED}${name}`);
export const proofFolder = (root: string, name: string) => path.join(root, `${PROOF}${name}`);

/**
 * Returns the names of the verified backups, the newest first. A name in the future is from when the clock was
 * wrong, so it comes last.
 *
 * @param now the name that a backup would get now.
 */
export function storedBackups(root: string, now = newName()): string[] {
  const names = fs
    .readdirSync(root)
    .filter((name) => NAME.test(name) && fs.existsSync(path.join(root, name, BACKUP.manifest)))
    .sort()
    .reverse();
  return [...names.filter((name) => name <= now), ...names.filter((name) => name > now)];
}

/** Removes what a killed process has left. Only while nobody else makes a backup. */
export function removeLeftovers(root: string): void {
  for (const name of fs.readdirSync(root)) {
    if (LEFTOVER.test(name)) remove(path.join(root, name));
  }
}

/**
 * Removes the oldest backups, until so many are left.
 *
 * @param made the one that was made just now: it stays, whatever the clock says.
 */
export function removeOld(root: string, keep: number, made: string): void {
  const others = storedBackups(root, made).filter((name) => name !== made);
  for (const name of others.slice(Math.max(0, keep - 1))) {
    // Under another name first, so that a part of it is never taken for a backup.
    const removed = path.join(root, `${REMOVED}${name}`);
    fs.renameSync(path.join(root, name), removed);
    remove(removed);
  }
}

function remove(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true });
}
