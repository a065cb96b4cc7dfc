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

/** Of the files that an earlier proof has read, this share is read again by each: the rest by later ones. */
const READ_AGAIN_SHARE = 1 / 30;

/**
 * Restores a backup into a temporary folder, and compares what is there with what was copied: the rows
 * of all tables, the names and sizes of all files, the content of all that are new and of a thirtieth
 * of the others, by turns. The uploaded files are links, so that it takes no room for them.
 *
 * @param temporary a folder on the same file system, which is removed.
 * @returns the files that were read, with the time of it, and how many were repaired.
 * @throws {BackupError} that says what is wrong.
 */
export function proveBackup(
  backup: string,
  temporary: string,
  {
    tables,
    withUploads,
    repair,
  }: {
    /** The rows of the database when it was copied. */
    tables: TableCounts;
    /** Without them its list is of files that are elsewhere. */
    withUploads: boolean;
    /** Copies a file again whose content is not what it was; false when that can't be done. */
    repair: (file: ListedFile) => boolean;
  },
) {
  const databasePath = path.join(temporary, BACKUP.database);
  const uploadsDir = path.join(temporary, BACKUP.uploads);
  fs.mkdirSync(temporary, { mode: 0o700 });
  try {
    // A file system without links has room for each file once: they are read where they are.
    const hasLinks = canLink(backup, temporary);
    const { missing } = restoreBackup(
      backup,
      { databasePath, uploadsDir, secretFile: path.join(temporary, BACKUP.secret) },
      hasLinks ? link : () => {},
    );
    if (withUploads && hasLinks && missing[0]) {
      throw new BackupError(`The backup lacks ${missing[0].path}, so it was removed.`);
    }
    proveDatabase(databasePath, tables);
    if (!withUploads) return { files: readListing(backup), repaired: 0 };
    return proveFiles(backup, hasLinks ? uploadsDir : path.join(backup, BACKUP.uploads), repair);
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

function proveDatabase(file: string, tables: TableCounts): void {
  const integrity = checkIntegrity(file);
  if (integrity !== "ok") {
    throw new BackupError(
      `The database of the backup is damaged (${integrity}), so it was removed.`,
    );
  }
  const sqlite = new Sqlite(file, { readonly: true });
  const restored = countTables(sqlite);
  sqlite.close();
  for (const name of new Set([...Object.keys(tables), ...Object.keys(restored)])) {
    if (tables[name] === restored[name]) continue;
    throw new BackupError(
      `The table ${name} of the backup has ${restored[name] ?? "no"} rows instead of ${tables[name] ?? "none"}, so it was removed.`,
    );
  }
}

function proveFiles(backup: string, restored: string, repair: (file: ListedFile) => boolean) {
  const files = readListing(backup);
  const now = new Date().toISOString();
  const toRead = new Set(readNow(files));
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
      // The link in the temporary folder leads to the damaged one.
      if (!repair(file) || !isWhole(file, path.join(backup, BACKUP.uploads))) {
        throw new BackupError(
          `${file.path} is not in the backup as it was copied, so the backup was removed.`,
        );
      }
      repaired++;
    }
    if (toRead.has(file)) file.readAt = now;
  }
  return { files, repaired };
}

/** What nobody has read yet, and a share of the rest: what was read longest ago. */
export function readNow(files: readonly ListedFile[]): ListedFile[] {
  const isNew = ({ readAt }: ListedFile) => readAt === undefined;
  const known = files.filter((file) => !isNew(file));
  known.sort((a, b) => (a.readAt! < b.readAt! ? -1 : 1));
  return [...files.filter(isNew), ...known.slice(0, Math.ceil(known.length * READ_AGAIN_SHARE))];
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
