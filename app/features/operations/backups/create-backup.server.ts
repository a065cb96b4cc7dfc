import fs from "node:fs";
import path from "node:path";
import { formatBytes } from "~/shared/format-bytes";
import { lockFile } from "~db/data-lock.server";
import { isBusy } from "~db/write-lock";
import {
  BACKUP,
  BackupError,
  BackupRunningError,
  flushFileSystems,
  listUploads,
  writeAtomically,
  writeListing,
} from "./backup-files.server";
import {
  type BackupOptions,
  newBackupName,
  removeLeftovers,
  removeOldest,
  storedBackups,
  unfinishedFolder,
  verificationFolder,
} from "./backup-folder.server";
import { copyDatabase } from "./copy-database.server";
import { createUploadsCopy, openStoredCopies } from "./uploads-copy.server";
import { verifyBackup } from "./verify-backup.server";

/** The space that must stay free on the disk that contains BACKUP_DIR, which may also be the site's disk. */
const RESERVE_BYTES = 512 * 1024 ** 2;
const RESERVE_SHARE = 0.05;

export interface CreatedBackup {
  name: string;
  files: number;
  bytes: number;
  /** The number of bytes not shared with an earlier backup. */
  addedBytes: number;
  /** The number of files that were damaged in earlier backups and have been copied again. */
  repaired: number;
}

/**
 * Creates a backup in a new folder in BACKUP_DIR, verifies it, and removes the oldest backups. Files that an earlier
 * backup already contains are hard links to its copies. The backup has a temporary name until it has been verified. If
 * anything fails, the new backup is removed and earlier ones are kept. Blocks the thread for minutes, so it must not be
 * used in the server.
 *
 * @throws {BackupRunningError} if another process is running a backup.
 * @throws {BackupError} with a message for the operator, if the operator can fix the problem. Other errors are bugs.
 */
export async function createBackup(options: BackupOptions): Promise<CreatedBackup> {
  const unlock = options.hasLocks ? lockBackups(options.databasePath) : () => {};
  const { folder } = options;
  const name = newBackupName();
  const unfinished = unfinishedFolder(folder, name);
  try {
    removeLeftovers(folder);
    fs.mkdirSync(unfinished, { mode: 0o700 });
    const created = await fill(options, name, unfinished);
    // Flushed before the rename, so that a power failure can't leave an incomplete backup under the final name.
    flushFileSystems([unfinished]);
    fs.renameSync(unfinished, path.join(folder, name));
    removeOldest(folder, options.keep, name);
    return { name, ...created };
  } catch (error) {
    try {
      fs.rmSync(unfinished, { recursive: true, force: true });
    } catch (failure) {
      // The next backup tries again to remove this folder.
      console.error(`Could not remove ${unfinished}:`, failure);
    }
    throw toBackupError(error, folder);
  } finally {
    unlock();
  }
}

/** @throws {BackupRunningError} if another process has the lock. */
export function lockBackups(databasePath: string): () => void {
  try {
    return lockFile(`${databasePath}.backup-lock`, "a backup");
  } catch (error) {
    if (isBusy((error as Error).cause)) throw new BackupRunningError();
    throw error;
  }
}

async function fill(
  options: BackupOptions,
  name: string,
  backup: string,
): Promise<Omit<CreatedBackup, "name">> {
  const { databasePath, uploadsDir, folder, withUploads } = options;
  const target = path.join(backup, BACKUP.database);
  const [earlier] = storedBackups(folder);
  const uploads = createUploadsCopy(
    uploadsDir,
    path.join(backup, BACKUP.uploads),
    earlier && path.join(folder, earlier),
  );
  // The space needed for the copy of the database, and for a second copy that is restored in order to verify the
  // backup.
  const stored = openStoredCopies(databasePath);
  const databaseSpace = 2 * fs.statSync(databasePath).size;
  requireSpace(folder, databaseSpace + (withUploads ? uploads.bytesToCopy(stored) : 0));
  // Files are copied both before and after the database, so that every file referenced in the copied database is in the
  // backup, even if the file was added or deleted in the meantime.
  if (withUploads) uploads.copyNew(stored);
  stored.close();
  const tables = await copyDatabase(databasePath, target);
  // Files that aren't in the store according to the copied database must be included in the backup.
  const storedThen = openStoredCopies(target);
  const listed = withUploads ? [] : listUploads(uploadsDir, storedThen.has);
  if (withUploads) uploads.copyNew(storedThen);
  storedThen.close();
  if (fs.existsSync(options.secretFile)) {
    writeAtomically(path.join(backup, BACKUP.secret), fs.readFileSync(options.secretFile));
  }
  writeListing(backup, withUploads ? uploads.files() : listed);
  const { files, repaired } = verifyBackup(backup, verificationFolder(folder, name), {
    tables,
    withUploads,
    repair: uploads.repair,
  });
  writeListing(backup, files);
  const databaseBytes = fs.statSync(target).size;
  const created = {
    files: withUploads ? files.length : 0,
    bytes: databaseBytes + (withUploads ? files.reduce((sum, { bytes }) => sum + bytes, 0) : 0),
    addedBytes: databaseBytes + uploads.addedBytes(),
    repaired,
  };
  const manifest = { verifiedAt: new Date().toISOString(), withUploads, ...created, tables };
  writeAtomically(path.join(backup, BACKUP.manifest), `${JSON.stringify(manifest, null, 1)}\n`);
  return created;
}

/** @throws {BackupError} if the free space, minus the reserve, is less than `bytes`. */
function requireSpace(folder: string, bytes: number): void {
  const { bavail, blocks, bsize } = fs.statfsSync(folder);
  const free = bavail * bsize - Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE);
  if (free >= bytes) return;
  throw new BackupError(
    `Not enough space in BACKUP_DIR (${folder}): ${formatBytes(bytes)} needed, ${formatBytes(Math.max(0, free))} available. Earlier backups are kept. Free up space or lower BACKUP_KEEP.`,
  );
}

/** Converts errors that the operator can fix to a `BackupError`. */
function toBackupError(error: unknown, folder: string): unknown {
  const { code = "", message } = error as NodeJS.ErrnoException;
  // EFBIG means that the account has a file size limit.
  if (["ENOSPC", "EDQUOT", "SQLITE_FULL", "EFBIG"].includes(code)) {
    return new BackupError(
      `Not enough space in BACKUP_DIR (${folder}). The unfinished backup was removed. Earlier backups are kept. Free up space or lower BACKUP_KEEP.`,
    );
  }
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") {
    return new BackupError(
      "The site's database is damaged and can't be copied. Restore the latest backup.",
    );
  }
  if (["ENOENT", "EACCES", "EPERM", "EROFS", "EIO", "ENOTDIR"].includes(code)) {
    return new BackupError(`BACKUP_DIR (${folder}) or a file to copy can't be used: ${message}.`);
  }
  return error;
}
