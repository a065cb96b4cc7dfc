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
  writeListing,
  writeWhole,
} from "./backup-files.server";
import {
  type BackupOptions,
  newName,
  proofFolder,
  removeLeftovers,
  removeOld,
  storedBackups,
  unfinishedFolder,
} from "./backup-folder.server";
import { copyDatabase } from "./copy-database.server";
import { proveBackup } from "./prove-backup.server";
import { createUploadsCopy, openStoredCopies } from "./uploads-copy.server";

/** What must stay free on the disk of BACKUP_DIR, which may be that of the site. */
const RESERVE_BYTES = 512 * 1024 ** 2;
const RESERVE_SHARE = 0.05;

export interface CreatedBackup {
  name: string;
  files: number;
  bytes: number;
  /** What of them is not shared with an earlier backup. */
  addedBytes: number;
  /** Files of an earlier one that were damaged, and copied again. */
  repaired: number;
}

/**
 * Makes a backup in a folder of its own below BACKUP_DIR, proves it, and removes the oldest. A file
 * that an earlier backup has is a link to that one. Until it is proved it has another name, and
 * when something is wrong it is removed; the earlier ones stay. It holds the thread for minutes: not for
 * the server's.
 *
 * @throws {BackupRunningError} while another process makes one.
 * @throws {BackupError} with a sentence for what the operator can change; anything else is a fault.
 */
export async function createBackup(options: BackupOptions): Promise<CreatedBackup> {
  const unlock = options.hasLocks ? lockBackups(options.databasePath) : () => {};
  const { folder } = options;
  const name = newName();
  const unfinished = unfinishedFolder(folder, name);
  try {
    removeLeftovers(folder);
    fs.mkdirSync(unfinished, { mode: 0o700 });
    const made = await fill(options, name, unfinished);
    // What is not on the disk yet would be lost with the power, and the name would lie.
    flushFileSystems([unfinished]);
    fs.renameSync(unfinished, path.join(folder, name));
    removeOld(folder, options.keep, name);
    return { name, ...made };
  } catch (error) {
    try {
      fs.rmSync(unfinished, { recursive: true, force: true });
    } catch (failure) {
      // The next backup tries again.
      console.error(`Could not remove ${unfinished}:`, failure);
    }
    throw explain(error, folder);
  } finally {
    unlock();
  }
}

/** @throws {BackupRunningError} when another process has the lock. */
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
  // The copy of the database, and that of the proof.
  const stored = openStoredCopies(databasePath);
  const databaseRoom = 2 * fs.statSync(databasePath).size;
  requireRoom(folder, databaseRoom + (withUploads ? uploads.bytesToCopy(stored) : 0));
  // Files before the database and again after it: a row of the copy has its file in the copy, also
  // when it came in, or was deleted, while the first ones were copied.
  if (withUploads) uploads.copyNew(stored);
  stored.close();
  const tables = await copyDatabase(databasePath, target);
  // What the copy of the database doesn't know to be in the store belongs to the backup.
  const storedThen = openStoredCopies(target);
  const listed = withUploads ? [] : listUploads(uploadsDir, storedThen.has);
  if (withUploads) uploads.copyNew(storedThen);
  storedThen.close();
  if (fs.existsSync(options.secretFile)) {
    writeWhole(path.join(backup, BACKUP.secret), fs.readFileSync(options.secretFile));
  }
  writeListing(backup, withUploads ? uploads.files() : listed);
  const { files, repaired } = proveBackup(backup, proofFolder(folder, name), {
    tables,
    withUploads,
    repair: uploads.repair,
  });
  writeListing(backup, files);
  const databaseBytes = fs.statSync(target).size;
  const made = {
    files: withUploads ? files.length : 0,
    bytes: databaseBytes + (withUploads ? files.reduce((sum, { bytes }) => sum + bytes, 0) : 0),
    addedBytes: databaseBytes + uploads.addedBytes(),
    repaired,
  };
  const manifest = { provedAt: new Date().toISOString(), withUploads, ...made, tables };
  writeWhole(path.join(backup, BACKUP.manifest), `${JSON.stringify(manifest, null, 1)}\n`);
  return made;
}

/** @throws {BackupError} when so many bytes do not fit beside what must stay free. */
function requireRoom(folder: string, bytes: number): void {
  const { bavail, blocks, bsize } = fs.statfsSync(folder);
  const free = bavail * bsize - Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE);
  if (free >= bytes) return;
  throw new BackupError(
    `There is not enough room in BACKUP_DIR (${folder}): ${formatBytes(bytes)} are needed, ${formatBytes(Math.max(0, free))} are free. The earlier backups are kept; make room, or set BACKUP_KEEP lower.`,
  );
}

/** What went wrong as a sentence, if the operator can change it. */
function explain(error: unknown, folder: string): unknown {
  const { code = "", message } = error as NodeJS.ErrnoException;
  // The last of them is a limit of the account's files.
  if (["ENOSPC", "EDQUOT", "SQLITE_FULL", "EFBIG"].includes(code)) {
    return new BackupError(
      `There is not enough room in BACKUP_DIR (${folder}). The unfinished backup was removed, the earlier ones are kept; make room, or set BACKUP_KEEP lower.`,
    );
  }
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") {
    return new BackupError(
      "The database of the site is damaged, so nothing could be copied. Restore the last backup.",
    );
  }
  if (["ENOENT", "EACCES", "EPERM", "EROFS", "EIO", "ENOTDIR"].includes(code)) {
    return new BackupError(`BACKUP_DIR (${folder}) or a file to copy can't be used: ${message}.`);
  }
  return error;
}
