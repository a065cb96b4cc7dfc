// npm run restore: puts a backup in the place of the site, which must not run.
import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { settings } from "~/server/settings.server";
import { lockData } from "~db/data-lock.server";
import { requireDatabaseFile } from "~db/database-file.server";
import { requireFolder } from "~db/folders.server";
import { UsageError } from "./ask";
import { BACKUP, copyNew, type ListedFile, listUploads, secretFile } from "./backup-files";
import { RestoreError } from "./restore-error";
import { runScript } from "./run-script";

const USAGE = `npm run restore -- FOLDER

Puts the backup in FOLDER in the place of the database, the session secret and the uploaded files it
holds. The site must not run. The database of before is kept beside the new one; no uploaded file is
removed.`;

await runScript(USAGE, {}, async (_, [folder, ...rest]) => {
  if (!folder || rest.length > 0) throw new UsageError(`One folder has to be named.\n\n${USAGE}`);
  const backup = path.join(folder, BACKUP.database);
  if (!fs.existsSync(backup)) throw new UsageError(`${folder} holds no ${BACKUP.database}.`);
  requireSound(backup);
  const { databasePath, uploadsDir } = settings();
  requireDatabaseFile(databasePath);
  requireFolder("UPLOADS_DIR", uploadsDir);
  if (settings().dataLock) lockData(settings(), "npm run restore");
  if (fs.existsSync(databasePath)) setAside(databasePath);

  const listing = path.join(folder, BACKUP.listing);
  const listed = (
    fs.existsSync(listing) ? JSON.parse(fs.readFileSync(listing, "utf8")) : []
  ) as ListedFile[];
  const copies = path.join(folder, BACKUP.uploads);
  const copied = copyNew(listUploads(copies), copies, uploadsDir);
  place(backup, databasePath);
  const secret = path.join(folder, BACKUP.secret);
  if (fs.existsSync(secret)) place(secret, secretFile());

  const present = new Set(listUploads().map((file) => file.path));
  const missing = listed.filter((file) => !present.has(file.path));
  for (const file of missing) console.error(`missing: ${file.path}`);
  console.log(
    `The backup is restored: the database and ${copied} files; ${missing.length} listed files are missing.`,
  );
  if (missing.length > 0) process.exitCode = 1;
});

function requireSound(file: string): void {
  let verdict: unknown;
  try {
    const sqlite = new Sqlite(file, { readonly: true });
    verdict = sqlite.pragma("integrity_check", { simple: true });
    sqlite.close();
  } catch (error) {
    verdict = (error as Error).message;
  }
  if (verdict !== "ok") throw new RestoreError(`${file} is damaged: ${verdict}`);
}

/**
 * Leaving the write-ahead log takes that nobody else has the file open, so it shows whether the site
 * runs; and the file that is kept is then whole by itself.
 */
function setAside(file: string): void {
  const sqlite = new Sqlite(file, { timeout: 0 });
  let isDamaged = false;
  try {
    sqlite.pragma("journal_mode = DELETE");
  } catch (error) {
    isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test((error as { code: string }).code);
    if (!isDamaged) throw new RestoreError("The site is running. Stop it, and restore then.");
  } finally {
    sqlite.close();
  }
  const kept = `${file}.before-restore-${new Date().toISOString().replaceAll(":", "-")}`;
  fs.renameSync(file, kept);
  for (const extra of ["-wal", "-shm"]) {
    // What a damaged file has left to rescue may stand in its log.
    if (isDamaged && fs.existsSync(file + extra)) fs.renameSync(file + extra, kept + extra);
    else fs.rmSync(file + extra, { force: true });
  }
  console.log(`The database of before is kept as ${kept}.`);
}

function place(from: string, to: string): void {
  fs.copyFileSync(from, `${to}.partial`);
  fs.chmodSync(`${to}.partial`, 0o600);
  fs.renameSync(`${to}.partial`, to);
}
