// npm run restore: replaces the stopped site's data with a backup.
import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { BACKUP, secretFile } from "~/features/operations/backups/backup-files.server";
import { checkIntegrity } from "~/features/operations/backups/copy-database.server";
import {
  finishInterruptedRestore,
  type Restored,
  removeCopies,
  restoreBackup,
  type SiteFiles,
} from "~/features/operations/backups/restore-backup.server";
import { settings } from "~/platform/settings.server";
import { lockData } from "~db/data-lock.server";
import { requireDatabaseFile, requireReleasedFile, restoredFile } from "~db/database-file.server";
import { requireFolder } from "~db/folders.server";
import { UsageError } from "./prompt";
import { RestoreError } from "./restore-error";
import { runScript } from "./run-script";

const USAGE = `npm run restore -- FOLDER

Replaces the database, the session secret and the uploaded files with those from the backup in FOLDER.
Stop the site and Litestream first. The previous database is kept next to the new one. Uploaded files
with the same names as in the backup are replaced, and no other files are removed. If it is interrupted,
run it again: nothing changes until all files are copied.`;

await runScript(USAGE, {}, async (_, [folder, ...rest]) => {
  if (!folder || rest.length > 0) throw new UsageError(`Specify one folder.\n\n${USAGE}`);
  const backup = path.join(folder, BACKUP.database);
  if (!fs.existsSync(backup)) throw new UsageError(`${folder} contains no ${BACKUP.database}.`);
  requireReleasedFile(backup);
  requireIntact(backup);
  const { databasePath, uploadsDir } = settings();
  requireDatabaseFile(databasePath);
  requireFolder("UPLOADS_DIR", uploadsDir);
  if (settings().dataLock) lockData(settings(), "npm run restore");
  const site = { databasePath, uploadsDir, secretFile: secretFile() };
  finishInterruptedRestore(site);
  if (fs.existsSync(databasePath)) closePrevious(databasePath);

  const { copied, missing, previous } = restore(folder, site);
  if (previous) console.log(`The previous database is now ${previous}.`);
  for (const file of missing) console.error(`missing: ${file.path}`);
  console.log(
    `Restored the backup: the database and ${copied} files. ${missing.length} listed files are missing.`,
  );
  if (missing.length > 0) process.exitCode = 1;
});

/** @throws {RestoreError} with the reason and whether anything has been changed. */
function restore(folder: string, site: SiteFiles): Restored {
  try {
    return restoreBackup(folder, site);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!code) throw error;
    if (fs.existsSync(restoredFile(site.databasePath))) {
      throw new RestoreError(
        `The backup was only partly restored: ${message}. Fix the problem and run the command again. The site won't start until the restore is complete.`,
      );
    }
    // The site can't run with a full disk. EFBIG means that the user's file size limit was exceeded.
    const isFull = ["ENOSPC", "EDQUOT", "EFBIG"].includes(code);
    if (isFull) removeCopies(site);
    throw new RestoreError(
      isFull
        ? `There is not enough space to restore the backup (${message}). Nothing was changed.`
        : `The backup can't be restored: ${message}. Nothing was changed. Files that were already copied won't be copied again.`,
    );
  }
}

function requireIntact(file: string): void {
  const result = checkIntegrity(file);
  if (result !== "ok") throw new RestoreError(`${file} is damaged: ${result}`);
}

/**
 * Takes the database out of WAL mode, so that the file is complete without its log. SQLite does that only if no other
 * process has the file open, so this also detects a running site.
 */
function closePrevious(file: string): void {
  const sqlite = new Sqlite(file, { timeout: 0 });
  try {
    sqlite.pragma("journal_mode = DELETE");
  } catch (error) {
    const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test((error as { code: string }).code);
    if (!isDamaged)
      throw new RestoreError("The site or Litestream is running. Stop both, then try again.");
  } finally {
    sqlite.close();
  }
}
