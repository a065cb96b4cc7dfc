// npm run backup: creates a consistent copy of the site, even while it is running.
import fs from "node:fs";
import path from "node:path";
import {
  BACKUP,
  BackupError,
  BackupRunningError,
  copyNew,
  listUploads,
  secretFile,
  writeAtomically,
  writeListing,
} from "~/features/operations/backups/backup-files.server";
import {
  backupOptions,
  requireBackupFolder,
  withRetention,
} from "~/features/operations/backups/backup-folder.server";
import {
  deleteStart,
  recordFailure,
  recordStart,
  recordSuccess,
} from "~/features/operations/backups/backup-records.server";
import { copyDatabase } from "~/features/operations/backups/copy-database.server";
import { createBackup } from "~/features/operations/backups/create-backup.server";
import { openStoredCopies } from "~/features/operations/backups/uploads-copy.server";
import { settings } from "~/platform/settings.server";
import { formatQuantity } from "~/shared/format";
import { formatBytes } from "~/shared/format-bytes";
import { requireNoRestore } from "~db/database-file.server";
import { UsageError } from "./prompt";
import { runScript } from "./run-script";

const USAGE = `npm run backup -- FOLDER [--with-uploads]

Copies the database, the session secret and a list of the uploaded files into FOLDER. The site may be
running. If FOLDER contains a backup, it is updated.
  --with-uploads   also copy the uploaded files, except those that are already in FOLDER

npm run backup

Creates a backup in BACKUP_DIR, like a scheduled backup: it is stored in a new folder and verified, and
the oldest backup is removed.`;

await runScript(
  USAGE,
  { "with-uploads": { type: "boolean" } },
  async ({ "with-uploads": withUploads }, [folder, ...rest]) => {
    const { databasePath, backupDir } = settings();
    const isTimed = !folder && backupDir && !withUploads;
    if ((!folder && !isTimed) || rest.length > 0) {
      throw new UsageError(`Specify one folder.\n\n${USAGE}`);
    }
    if (!fs.existsSync(databasePath)) {
      throw new UsageError(`There is no database at ${databasePath}. Check DATABASE_PATH.`);
    }
    requireNoRestore(databasePath);
    if (folder) await backUpInto(folder, withUploads ?? false);
    else await backUpAsTimed();
  },
);

async function backUpInto(folder: string, withUploads: boolean): Promise<void> {
  const { databasePath, uploadsDir } = settings();
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const target = path.join(folder, BACKUP.uploads);
  // Copy the files both before and after copying the database, so that the backup contains the files of all its rows,
  // even if files were added or deleted while others were being copied.
  const stored = openStoredCopies(databasePath);
  const before = withUploads ? copyNew(uploadsDir, target, stored.has).copied : 0;
  stored.close();
  await copyDatabase(databasePath, path.join(folder, BACKUP.database));
  // The backup includes every file that, according to the copy of the database, isn't in the store.
  const storedThen = openStoredCopies(path.join(folder, BACKUP.database));
  const after = withUploads
    ? copyNew(uploadsDir, target, storedThen.has)
    : { copied: 0, files: listUploads(uploadsDir, storedThen.has) };
  storedThen.close();
  const { files } = after;
  writeListing(folder, files);
  if (fs.existsSync(secretFile())) {
    writeAtomically(path.join(folder, BACKUP.secret), fs.readFileSync(secretFile()));
  }
  const uploads = withUploads ? ` (${before + after.copied} copied now)` : " (listed only)";
  console.log(
    `Backed up the site to ${folder}: the database and ${formatQuantity(files.length, "file")}${uploads}.`,
  );
}

async function backUpAsTimed(): Promise<void> {
  requireBackupFolder();
  const options = backupOptions()!;
  const id = await recordStart({ userId: null, dueAt: null });
  try {
    const made = await createBackup(await withRetention(options));
    await recordSuccess(id, made);
    console.log(
      `Created and verified the backup ${path.join(options.folder, made.name)}: the database and ${formatQuantity(made.files, "file")}, ${formatBytes(made.bytes)} (${formatBytes(made.addedBytes)} new).`,
    );
  } catch (error) {
    if (error instanceof BackupRunningError) await deleteStart(id);
    else await recordFailure(id, error instanceof BackupError ? error.message : String(error));
    throw error;
  }
}
