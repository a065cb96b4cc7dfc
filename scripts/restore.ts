// npm run restore: replaces the data of the site, which must not run, by a backup.
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
import { UsageError } from "./ask";
import { RestoreError } from "./restore-error";
import { runScript } from "./run-script";

const USAGE = `npm run restore -- FOLDER

Replaces the database, the session secret and the uploaded files by those of the backup in FOLDER. The
site must not run, nor Litestream. The previous database stays beside the new one. Uploaded files with the name of one
in the backup are replaced; no others are removed. If it is interrupted, run it again: until all files are copied,
nothing has changed.`;

await runScript(USAGE, {}, async (_, [folder, ...rest]) => {
  if (!folder || rest.length > 0) throw new UsageError(`One folder has to be named.\n\n${USAGE}`);
  const backup = path.join(folder, BACKUP.database);
  if (!fs.existsSync(backup)) throw new UsageError(`${folder} holds no ${BACKUP.database}.`);
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
    `The backup is restored: the database and ${copied} files; ${missing.length} listed files are missing.`,
  );
  if (missing.length > 0) process.exitCode = 1;
});

/** @throws {RestoreError} with the reason, and whether anything has changed. */
function restore(folder: string, site: SiteFiles): Restored {
  try {
    return restoreBackup(folder, site);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!code) throw error;
    if (fs.existsSync(restoredFile(site.databasePath))) {
      throw new RestoreError(
        `The backup is restored only in part: ${message}. Fix this and run the command again; the site doesn't start before.`,
      );
    }
    // The site could not run on a full disk. The last code is a limit of the account's files.
    const isFull = ["ENOSPC", "EDQUOT", "EFBIG"].includes(code);
    if (isFull) removeCopies(site);
    throw new RestoreError(
      isFull
        ? `There is not enough space to restore the backup (${message}). Nothing was changed.`
        : `The backup can't be restored: ${message}. Nothing was changed; what was copied so far isn't copied again.`,
    );
  }
}

function requireIntact(file: string): void {
  const result = checkIntegrity(file);
  if (result !== "ok") throw new RestoreError(`${file} is damaged: ${result}`);
}

/**
 * Has SQLite write the log of the database into its file. SQLite leaves WAL mode only when nobody else has the file
 * open, so this also shows whether the site runs.
 */
function closePrevious(file: string): void {
  const sqlite = new Sqlite(file, { timeout: 0 });
  try {
    sqlite.pragma("journal_mode = DELETE");
  } catch (error) {
    const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test((error as { code: string }).code);
    if (!isDamaged)
      throw new RestoreError("The site is running, or Litestream. Stop both, and restore then.");
  } finally {
    sqlite.close();
  }
}
