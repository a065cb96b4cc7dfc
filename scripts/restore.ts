// npm run restore: replaces the data of the site, which must not run, by a backup.
import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { settings } from "~/server/settings.server";
import { BACKUP, secretFile } from "~/studio/backups/backup-files.server";
import { checkIntegrity } from "~/studio/backups/copy-database.server";
import { restoreBackup } from "~/studio/backups/restore-backup.server";
import { lockData } from "~db/data-lock.server";
import { requireDatabaseFile } from "~db/database-file.server";
import { requireFolder } from "~db/folders.server";
import { litestreamFolder } from "~db/litestream.server";
import { UsageError } from "./ask";
import { RestoreError } from "./restore-error";
import { runScript } from "./run-script";

const USAGE = `npm run restore -- FOLDER

Replaces the database, the session secret and the uploaded files by those of the backup in FOLDER. The
site must not run, nor Litestream. The previous database stays beside the new one; no uploaded file is removed.`;

await runScript(USAGE, {}, async (_, [folder, ...rest]) => {
  if (!folder || rest.length > 0) throw new UsageError(`One folder has to be named.\n\n${USAGE}`);
  const backup = path.join(folder, BACKUP.database);
  if (!fs.existsSync(backup)) throw new UsageError(`${folder} holds no ${BACKUP.database}.`);
  requireIntact(backup);
  const { databasePath, uploadsDir } = settings();
  requireDatabaseFile(databasePath);
  requireFolder("UPLOADS_DIR", uploadsDir);
  if (settings().dataLock) lockData(settings(), "npm run restore");
  if (fs.existsSync(databasePath)) renamePrevious(databasePath);
  // What Litestream has copied beside the previous database says nothing of this one: it begins anew.
  fs.rmSync(litestreamFolder(databasePath), { recursive: true, force: true });

  const { copied, missing } = restoreBackup(folder, {
    databasePath,
    uploadsDir,
    secretFile: secretFile(),
  });
  for (const file of missing) console.error(`missing: ${file.path}`);
  console.log(
    `The backup is restored: the database and ${copied} files; ${missing.length} listed files are missing.`,
  );
  if (missing.length > 0) process.exitCode = 1;
});

function requireIntact(file: string): void {
  const result = checkIntegrity(file);
  if (result !== "ok") throw new RestoreError(`${file} is damaged: ${result}`);
}

/**
 * Renames the database that is there. SQLite leaves WAL mode only when nobody else has the file open,
 * so this shows whether the site runs; and the renamed file is complete without its log.
 */
function renamePrevious(file: string): void {
  const sqlite = new Sqlite(file, { timeout: 0 });
  let isDamaged = false;
  try {
    sqlite.pragma("journal_mode = DELETE");
  } catch (error) {
    isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test((error as { code: string }).code);
    if (!isDamaged)
      throw new RestoreError("The site is running, or Litestream. Stop both, and restore then.");
  } finally {
    sqlite.close();
  }
  const previous = `${file}.before-restore-${new Date().toISOString().replaceAll(":", "-")}`;
  fs.renameSync(file, previous);
  for (const extra of ["-wal", "-shm"]) {
    // Rows that can be recovered from a damaged file may be in its log.
    if (isDamaged && fs.existsSync(file + extra)) fs.renameSync(file + extra, previous + extra);
    else fs.rmSync(file + extra, { force: true });
  }
  console.log(`The previous database is now ${previous}.`);
}
