import fs from "node:fs";
import path from "node:path";
import {
  BACKUP,
  copyNew,
  type ListedFile,
  listUploads,
  type Put,
  readListing,
} from "./backup-files.server";

/** Where the parts of a site are. */
export interface SiteFiles {
  databasePath: string;
  uploadsDir: string;
  secretFile: string;
}

/**
 * Puts the database, the secret and the uploaded files of a backup into their positions. No uploaded
 * file is removed.
 *
 * @param put how the uploaded files get there.
 * @returns how many did, and which of its list are not there.
 */
export function restoreBackup(
  backup: string,
  site: SiteFiles,
  put?: Put,
): { copied: number; missing: ListedFile[] } {
  const copies = path.join(backup, BACKUP.uploads);
  const copied = copyNew(listUploads(copies), copies, site.uploadsDir, put);
  replaceFile(site.databasePath, path.join(backup, BACKUP.database));
  const secret = path.join(backup, BACKUP.secret);
  if (fs.existsSync(secret)) replaceFile(site.secretFile, secret);
  const present = new Set(listUploads(site.uploadsDir).map((file) => file.path));
  return { copied, missing: readListing(backup).filter((file) => !present.has(file.path)) };
}

/** By a rename, so that the file is never there in part. */
function replaceFile(to: string, from: string): void {
  fs.copyFileSync(from, `${to}.partial`);
  fs.chmodSync(`${to}.partial`, 0o600);
  fs.renameSync(`${to}.partial`, to);
}
