import fs from "node:fs";
import path from "node:path";
import { BUCKETS } from "~/media/bucket.server";
import { settings } from "~/server/settings.server";

/** A file of the buckets as a backup lists it; path with slashes, `videos/u/1.mp4`. */
export interface ListedFile {
  path: string;
  bytes: number;
  modifiedMs: number;
}

/** The files of the two buckets now, without any that was removed while they were listed. */
export function listUploads(root = settings().uploadsDir): ListedFile[] {
  return BUCKETS.flatMap((bucket) => {
    const folder = path.join(root, bucket);
    if (!fs.existsSync(folder)) return [];
    return fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
      .flatMap((entry) => {
        const file = path.join(entry.parentPath, entry.name);
        const stat = fs.statSync(file, { throwIfNoEntry: false });
        if (!stat) return [];
        const name = path.relative(root, file).split(path.sep).join("/");
        return [{ path: name, bytes: stat.size, modifiedMs: stat.mtimeMs }];
      });
  });
}

/**
 * Copies the files of a list that the target does not have yet with the same size and time, each
 * whole or not at all. What has been deleted meanwhile is passed over.
 *
 * @returns how many were copied.
 */
export function copyNew(files: ListedFile[], from: string, to: string): number {
  let copied = 0;
  for (const { path: name, bytes, modifiedMs } of files) {
    const target = path.join(to, name);
    const there = fs.statSync(target, { throwIfNoEntry: false });
    if (there?.size === bytes && Math.abs(there.mtimeMs - modifiedMs) < 1) continue;
    fs.mkdirSync(path.dirname(target), { recursive: true });
    const partial = `${target}.partial`;
    try {
      fs.copyFileSync(path.join(from, name), partial, fs.constants.COPYFILE_FICLONE);
      fs.utimesSync(partial, modifiedMs / 1000, modifiedMs / 1000);
      fs.renameSync(partial, target);
      copied++;
    } catch (error) {
      fs.rmSync(partial, { force: true });
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return copied;
}

/** The names of the files of a backup, beside the folder of copied uploads. */
export const BACKUP = {
  database: "site.sqlite",
  secret: "session-secret",
  listing: "files.json",
  uploads: "uploads",
} as const;

/** Where the secret is kept that signs cookies, when no setting gives it. */
export function secretFile(): string {
  return path.join(path.dirname(path.resolve(settings().databasePath)), BACKUP.secret);
}
