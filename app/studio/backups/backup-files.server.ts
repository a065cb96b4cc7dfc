import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { BUCKETS } from "~/media/bucket.server";
import { settings } from "~/server/settings.server";

/** A file of the uploads as a backup lists it; path with slashes, `videos/u/1.mp4`. */
export interface ListedFile {
  path: string;
  bytes: number;
  modifiedMs: number;
  /** Of the content when it was copied, hexadecimal; not in a backup of `npm run backup -- FOLDER`. */
  sha256?: string;
  /** When the copy was last read and compared with it, ISO 8601 UTC. */
  readAt?: string;
}

/** The names of the files of a backup, beside the folder of copied uploads. */
export const BACKUP = {
  database: "site.sqlite",
  secret: "session-secret",
  listing: "files.json",
  uploads: "uploads",
  manifest: "backup.json",
} as const;

/** The files of deleted videos: without them a restored site lists videos that it cannot restore. */
const TRASH = ".trash";
/** Of performers: encrypted, with a secret that is in no backup. */
const DOCUMENTS = "documents";

/** Where the secret is kept that signs cookies, when no setting gives it. */
export function secretFile(): string {
  return path.join(path.dirname(path.resolve(settings().databasePath)), BACKUP.secret);
}

/** The folders in UPLOADS_DIR that a backup contains. */
export const UPLOAD_FOLDERS = [...BUCKETS, DOCUMENTS, TRASH];

/** Lists the uploaded files, without those that are removed in the meantime. */
export function listUploads(root = settings().uploadsDir): ListedFile[] {
  return UPLOAD_FOLDERS.flatMap((folder) =>
    filesBelow(path.join(root, folder)).flatMap((file) => {
      const stat = fs.statSync(file, { throwIfNoEntry: false });
      if (!stat) return [];
      const name = path.relative(root, file).split(path.sep).join("/");
      return [{ path: name, bytes: stat.size, modifiedMs: stat.mtimeMs }];
    }),
  );
}

/** The regular files in a folder and its subfolders, without hidden ones. */
export function filesBelow(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    if (entry.name.startsWith(".")) return [];
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(file);
    return entry.isFile() ? [file] : [];
  });
}

function entriesOf(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // Removed since its parent was read; `recursive` of readdirSync fails then.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** Whether two entries of lists are of one content, as far as a list tells. */
export function isSame(a: ListedFile, b: ListedFile): boolean {
  return a.bytes === b.bytes && Math.abs(a.modifiedMs - b.modifiedMs) < 1;
}

/** The name of a file in its bucket, which moving it to the trash and back does not change. */
export function nameInBucket(file: string): string {
  return file.replace(/^\.trash\/[^/]+\//, "");
}

/** Puts a file of a list somewhere; `link` shares the disk space with the one that is there. */
export type Put = (from: string, to: string, file: ListedFile) => void;

export const copy: Put = (from, to, { modifiedMs }) => {
  fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
  fs.utimesSync(to, modifiedMs / 1000, modifiedMs / 1000);
};

export const link: Put = (from, to) => fs.linkSync(from, to);

/**
 * Puts one file at its target, whole or not at all.
 *
 * @returns false for one that has been deleted meanwhile.
 */
export function putWhole(file: ListedFile, from: string, target: string, put: Put = copy): boolean {
  fs.mkdirSync(path.dirname(target), { recursive: true });
  const partial = `${target}.partial`;
  try {
    fs.rmSync(partial, { force: true });
    put(from, partial, file);
    fs.renameSync(partial, target);
    return true;
  } catch (error) {
    fs.rmSync(partial, { force: true });
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return false;
  }
}

/**
 * Copies the files of a list that the target doesn't have yet with the same size and time. Those that are deleted in the
 * meantime are skipped.
 *
 * @returns how many were copied.
 */
export function copyNew(files: readonly ListedFile[], from: string, to: string): number {
  let copied = 0;
  for (const file of files) {
    const target = path.join(to, file.path);
    if (!isThere(file, target) && putWhole(file, path.join(from, file.path), target)) copied++;
  }
  return copied;
}

/** Whether a file with the size and time of an entry exists. */
export function isThere(entry: ListedFile, file: string): boolean {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return (
    stat !== undefined && isSame(entry, { path: "", bytes: stat.size, modifiedMs: stat.mtimeMs })
  );
}

/** Writes a file of a backup, readable by its owner only, whole or not at all. */
export function writeWhole(file: string, content: string | Buffer): void {
  fs.writeFileSync(`${file}.partial`, content, { mode: 0o600 });
  fs.renameSync(`${file}.partial`, file);
}

export function readListing(backup: string): ListedFile[] {
  const listing = path.join(backup, BACKUP.listing);
  return fs.existsSync(listing) ? JSON.parse(fs.readFileSync(listing, "utf8")) : [];
}

export function writeListing(backup: string, files: readonly ListedFile[]): void {
  writeWhole(path.join(backup, BACKUP.listing), `${JSON.stringify(files, null, 1)}\n`);
}

const CHUNK_BYTES = 1024 ** 2;

/** The SHA-256 of a file's content, hexadecimal. It holds the thread: not for the server's. */
export function digestOf(file: string): string {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const descriptor = fs.openSync(file, "r");
  try {
    for (;;) {
      const read = fs.readSync(descriptor, chunk);
      if (read === 0) return hash.digest("hex");
      hash.update(chunk.subarray(0, read));
    }
  } finally {
    fs.closeSync(descriptor);
  }
}
