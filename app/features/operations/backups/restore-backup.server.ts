import fs from "node:fs";
import path from "node:path";
import { needsCopy } from "~/shared/move-files.server";
import { restoredFile } from "~db/database-file.server";
import { litestreamFolder } from "~db/litestream.server";
import {
  BACKUP,
  BackupError,
  type CopyFile,
  copy,
  copyAtomically,
  digestOf,
  filesBelow,
  flushFileSystems,
  isPresent,
  type ListedFile,
  listUploads,
  readListing,
  UPLOAD_FOLDERS,
} from "./backup-files.server";

/**
 * A restore can be killed at any time. Afterwards, the site has either everything that it had before, or everything in
 * the backup. First, all files are copied under names that the site doesn't use. Then the copy of the database is
 * renamed to `{file}.restored`. From then on, the copies are moved to their final places, the database last. The
 * restore does this or, if it was killed, the site does so at its next startup.
 */

/** The paths of a site's files. */
export interface SiteFiles {
  databasePath: string;
  uploadsDir: string;
  secretFile: string;
}

export interface Restored {
  /** The number of uploaded files that were missing or different. */
  copied: number;
  /** Entries in the backup's list whose files are missing from UPLOADS_DIR. */
  missing: ListedFile[];
  /** The previous database; undefined if there was none. */
  previous: string | undefined;
}

/** The name of the folder for copies in each of the UPLOAD_FOLDERS, which may be on different disks. */
const COPIES = ".restore";

/**
 * Replaces a site's database and secret, and adds the backup's uploaded files. Files with the same name are replaced;
 * no other file is removed.
 *
 * @param put how to copy the uploaded files.
 * @throws before anything on the site has changed, unless moving the copies fails. In that case, running the restore
 * again continues it.
 */
export function restoreBackup(backup: string, site: SiteFiles, put: CopyFile = copy): Restored {
  finishRestore(site);
  const copied = copyUploads(backup, site.uploadsDir, put);
  copyDatabase(backup, site);
  flushUploads(site.uploadsDir);
  fs.renameSync(partialFile(site.databasePath), restoredFile(site.databasePath));
  flush(path.dirname(site.databasePath));
  const previous = finishRestore(site)?.previous;
  const present = new Set(listUploads(site.uploadsDir).map((file) => file.path));
  const missing = readListing(backup).filter((file) => !present.has(file.path));
  return { copied, missing, previous };
}

/** Removes all copies that a restore created before it changed anything, so that they don't take up space. */
export function removeCopies({ databasePath, uploadsDir, secretFile }: SiteFiles): void {
  if (fs.existsSync(restoredFile(databasePath))) return;
  for (const file of [partialFile(databasePath), restoredFile(secretFile)]) {
    fs.rmSync(file, { force: true });
  }
  for (const folder of copyFolders(uploadsDir)) fs.rmSync(folder, { recursive: true, force: true });
}

/**
 * Finishes a restore that was interrupted while moving the copies to their final places.
 *
 * @throws {BackupError} with a message for the operator.
 */
export function finishInterruptedRestore(site: SiteFiles): void {
  try {
    if (finishRestore(site)) console.log("An interrupted restore has been completed.");
  } catch (error) {
    throw new BackupError(
      `A restore was interrupted and can't be completed: ${(error as Error).message}. Fix the problem and start the site again.`,
    );
  }
}

/** Informs the operator about copies left behind by an interrupted restore, since they take up space. */
export function reportCopies({ uploadsDir }: SiteFiles): void {
  const folders = copyFolders(uploadsDir);
  if (folders.length === 0) return;
  console.warn(
    `A restore was interrupted before it changed anything. Run npm run restore again, or remove its copies: ${folders.join(", ")}`,
  );
}

/**
 * Moves the copied files to their final places, if a restore has prepared them.
 *
 * @returns the previous database, if there was one, or undefined if there was nothing to finish.
 */
function finishRestore(site: SiteFiles): { previous: string | undefined } | undefined {
  const { databasePath, uploadsDir, secretFile } = site;
  const restored = restoredFile(databasePath);
  if (!fs.existsSync(restored)) return undefined;
  for (const folder of UPLOAD_FOLDERS) {
    const copies = path.join(uploadsDir, folder, COPIES);
    for (const file of filesBelow(copies)) {
      const target = path.join(uploadsDir, folder, path.relative(copies, file));
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.renameSync(file, target);
    }
    fs.rmSync(copies, { recursive: true, force: true });
  }
  if (fs.existsSync(restoredFile(secretFile))) {
    fs.renameSync(restoredFile(secretFile), secretFile);
  }
  // Litestream's copy of the previous database doesn't match the new one, so Litestream has to start a new generation.
  fs.rmSync(litestreamFolder(databasePath), { recursive: true, force: true });
  // Flushed before the last rename: if a power failure undid the other renames but not the last one, nothing would
  // repeat them.
  flushUploads(uploadsDir);
  const previous = keepPrevious(databasePath, fs.statSync(restored).mtime);
  fs.renameSync(restored, databasePath);
  flush(path.dirname(databasePath));
  return { previous };
}

/**
 * Renames the previous database. If the file system supports hard links, the database also keeps its original name
 * until the new one replaces it.
 */
function keepPrevious(file: string, restoredAt: Date): string | undefined {
  const previous = `${file}.before-restore-${restoredAt.toISOString().replaceAll(":", "-")}`;
  // SQLite would apply these files to the new database. A damaged database's files may contain rows that can be
  // recovered.
  for (const extra of ["-wal", "-shm", "-journal"]) {
    if (fs.existsSync(file + extra)) fs.renameSync(file + extra, previous + extra);
  }
  if (fs.existsSync(file) && !fs.existsSync(previous)) linkOrRename(file, previous);
  return fs.existsSync(previous) ? previous : undefined;
}

function linkOrRename(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if (!needsCopy((error as NodeJS.ErrnoException).code)) throw error;
    fs.renameSync(from, to);
  }
}

/** @returns the number of files that are missing from the site or have a different size or time there. */
function copyUploads(backup: string, uploadsDir: string, put: CopyFile): number {
  const from = path.join(backup, BACKUP.uploads);
  const wanted = listUploads(from).filter(
    (file) => !isPresent(file, path.join(uploadsDir, file.path)),
  );
  const copies = new Map(wanted.map((file) => [copyOf(uploadsDir, file), file]));
  for (const folder of UPLOAD_FOLDERS) {
    // These files are leftovers from restoring another backup, or incomplete copies.
    for (const file of filesBelow(path.join(uploadsDir, folder, COPIES))) {
      if (!copies.has(file)) fs.rmSync(file);
    }
  }
  for (const [target, file] of copies) {
    requireReplaceable(path.join(uploadsDir, file.path));
    const source = path.join(from, file.path);
    const isCopied = fs.existsSync(target) && digestOf(target) === digestOf(source);
    if (!isCopied) copyAtomically(file, source, target, put);
  }
  return wanted.length;
}

/** Returns the existing folders for copies. */
function copyFolders(uploadsDir: string): string[] {
  return UPLOAD_FOLDERS.map((folder) => path.join(uploadsDir, folder, COPIES)).filter((folder) =>
    fs.existsSync(folder),
  );
}

function copyOf(uploadsDir: string, { path: name }: ListedFile): string {
  const [folder = "", ...rest] = name.split("/");
  return path.join(uploadsDir, folder, COPIES, ...rest);
}

/** Checks whether a file can be moved to its final place. Called before any file is moved. */
function requireReplaceable(file: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.accessSync(path.dirname(file), fs.constants.W_OK | fs.constants.X_OK);
  if (fs.statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new BackupError(
      `${file} is a folder, but the backup has a file with this name. Move or rename the folder.`,
    );
  }
}

function copyDatabase(backup: string, { databasePath, secretFile }: SiteFiles): void {
  fs.rmSync(restoredFile(secretFile), { force: true });
  const secret = path.join(backup, BACKUP.secret);
  if (fs.existsSync(secret)) copyPrivately(secret, restoredFile(secretFile));
  copyPrivately(path.join(backup, BACKUP.database), partialFile(databasePath));
}

function copyPrivately(from: string, to: string): void {
  fs.rmSync(to, { force: true });
  fs.copyFileSync(from, to);
  fs.chmodSync(to, 0o600);
  flush(to);
  if (digestOf(to) !== digestOf(from)) {
    throw new BackupError(`${to} differs from ${from}, which it was copied from. Check the disk.`);
  }
}

const partialFile = (file: string) => `${file}.partial`;

/** Flushes a file, or the entries of a folder, to disk. */
function flush(file: string): void {
  const descriptor = fs.openSync(file, "r");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

function flushUploads(uploadsDir: string): void {
  const folders = UPLOAD_FOLDERS.map((folder) => path.join(uploadsDir, folder));
  flushFileSystems(folders.filter((folder) => fs.existsSync(folder)));
}
