import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import {
  BACKUP,
  BackupError,
  digestOf,
  type ListedFile,
  link,
  readListing,
} from "./backup-files.server";
import { checkIntegrity, countTables, type TableCounts } from "./copy-database.server";
import { restoreBackup } from "./restore-backup.server";

/** The fraction of the already verified files that each backup reads again. Later backups read the remaining files. */
const REREAD_SHARE = 1 / 30;

/**
 * Verifies a backup by restoring it to a temporary folder and comparing the result with what was copied: the row counts
 * of all tables, the names and sizes of all files, and the content of all new files and of a rotating thirtieth of the
 * other files. The uploaded files are hard links, so they take no space.
 *
 * @param temporary a folder on the same file system, which is removed afterwards.
 * @returns the files with the times at which they were read, and the number of repaired files.
 * @throws {BackupError} if anything is wrong.
 */
export function verifyBackup(
  backup: string,
  temporary: string,
  {
    tables,
    withUploads,
    repair,
  }: {
    /** The number of rows in each table when the database was copied. */
    tables: TableCounts;
    /** If false, the backup only lists the uploaded files, which are stored elsewhere. */
    withUploads: boolean;
    /** Copies a damaged file again. Returns false if that isn't possible. */
    repair: (file: ListedFile) => boolean;
  },
) {
  const databasePath = path.join(temporary, BACKUP.database);
  const uploadsDir = path.join(temporary, BACKUP.uploads);
  fs.mkdirSync(temporary, { mode: 0o700 });
  try {
    // If the file system doesn't support hard links, a second copy would need additional space, so files are read from
    // the backup itself.
    const hasLinks = canLink(backup, temporary);
    const { missing } = restoreBackup(
      backup,
      { databasePath, uploadsDir, secretFile: path.join(temporary, BACKUP.secret) },
      hasLinks ? link : () => {},
    );
    if (withUploads && hasLinks && missing[0]) {
      throw new BackupError(
        `${missing[0].path} is missing from the backup. The backup was removed.`,
      );
    }
    verifyDatabase(databasePath, tables);
    if (!withUploads) return { files: readListing(backup), repaired: 0 };
    return verifyFiles(backup, hasLinks ? uploadsDir : path.join(backup, BACKUP.uploads), repair);
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

function verifyDatabase(file: string, tables: TableCounts): void {
  const integrity = checkIntegrity(file);
  if (integrity !== "ok") {
    throw new BackupError(
      `The database in the backup is damaged (${integrity}). The backup was removed.`,
    );
  }
  const sqlite = new Sqlite(file, { readonly: true });
  const restored = countTables(sqlite);
  sqlite.close();
  for (const name of new Set([...Object.keys(tables), ...Object.keys(restored)])) {
    if (tables[name] === restored[name]) continue;
    throw new BackupError(
      `The table ${name} in the backup has ${restored[name] ?? "no"} rows instead of ${tables[name] ?? "none"}. The backup was removed.`,
    );
  }
}

function verifyFiles(backup: string, restored: string, repair: (file: ListedFile) => boolean) {
  const files = readListing(backup);
  const now = new Date().toISOString();
  const toRead = new Set(filesToRead(files));
  let repaired = 0;
  const isWhole = (file: ListedFile, folder: string) => {
    const target = path.join(folder, file.path);
    return (
      fs.statSync(target, { throwIfNoEntry: false })?.size === file.bytes &&
      (!toRead.has(file) || digestOf(target) === file.sha256)
    );
  };
  for (const file of files) {
    if (!isWhole(file, restored)) {
      // The temporary folder isn't used, because it still links to the damaged copy.
      if (!repair(file) || !isWhole(file, path.join(backup, BACKUP.uploads))) {
        throw new BackupError(
          `The copy of ${file.path} in the backup is damaged. The backup was removed.`,
        );
      }
      repaired++;
    }
    if (toRead.has(file)) file.readAt = now;
  }
  return { files, repaired };
}

/**
 * Returns the files to read now: all files that have never been read, and a fraction of the other files, starting with
 * the least recently read ones.
 */
export function filesToRead(files: readonly ListedFile[]): ListedFile[] {
  const isNew = ({ readAt }: ListedFile) => readAt === undefined;
  const known = files.filter((file) => !isNew(file));
  known.sort((a, b) => (a.readAt! < b.readAt! ? -1 : 1));
  return [...files.filter(isNew), ...known.slice(0, Math.ceil(known.length * REREAD_SHARE))];
}

function canLink(backup: string, temporary: string): boolean {
  const target = path.join(temporary, ".link");
  try {
    fs.linkSync(path.join(backup, BACKUP.listing), target);
    fs.rmSync(target);
    return true;
  } catch {
    return false;
  }
}
