// npm run backup: a consistent copy of the site, while it runs.
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
import { UsageError } from "./ask";
import { runScript } from "./run-script";

const USAGE = `npm run backup -- FOLDER [--with-uploads]

Copies the database, the session secret and a list of the uploaded files into FOLDER, whether or not
the site runs. The same folder may be used again: it then holds the newest state.
  --with-uploads   copy the uploaded files too; those that FOLDER has already are not copied again

npm run backup

Makes a backup in BACKUP_DIR as the timetable does: in a folder of its own, proved, the oldest removed.`;

await runScript(
  USAGE,
  { "with-uploads": { type: "boolean" } },
  async ({ "with-uploads": withUploads }, [folder, ...rest]) => {
    const { databasePath, backupDir } = settings();
    const isTimed = !folder && backupDir && !withUploads;
    if ((!folder && !isTimed) || rest.length > 0) {
      throw new UsageError(`One folder has to be named.\n\n${USAGE}`);
    }
    if (!fs.existsSync(databasePath)) throw new UsageError(`There is no database ${databasePath}.`);
    requireNoRestore(databasePath);
    if (folder) await backUpInto(folder, withUploads ?? false);
    else await backUpAsTimed();
  },
);

async function backUpInto(folder: string, withUploads: boolean): Promise<void> {
  const { databasePath, uploadsDir } = settings();
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const target = path.join(folder, BACKUP.uploads);
  // Files before the database and again after it: a row of the copy has its file in the copy, also
  // when it came in, or was deleted, while the first ones were copied.
  const stored = openStoredCopies(databasePath);
  const before = withUploads ? copyNew(uploadsDir, target, stored.has).copied : 0;
  stored.close();
  await copyDatabase(databasePath, path.join(folder, BACKUP.database));
  // What the copy of the database doesn't know to be in the store belongs to the backup.
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
  const uploads = withUploads ? `, ${before + after.copied} of them copied now` : ", listed only";
  console.log(
    `The site is backed up in ${folder}: the database and ${formatQuantity(files.length, "file")}${uploads}.`,
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
      `The site is backed up and proved in ${path.join(options.folder, made.name)}: the database and ${formatQuantity(made.files, "file")}, ${formatBytes(made.bytes)}, of which ${formatBytes(made.addedBytes)} are new.`,
    );
  } catch (error) {
    if (error instanceof BackupRunningError) await deleteStart(id);
    else await recordFailure(id, error instanceof BackupError ? error.message : String(error));
    throw error;
  }
}
