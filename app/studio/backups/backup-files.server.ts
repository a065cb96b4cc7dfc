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

/** The files of the two buckets and of the trash now, without any that was removed meanwhile. */
export function listUploads(root = settings().uploadsDir): ListedFile[] {
  return [...BUCKETS, DOCUMENTS, TRASH].flatMap((part) => {
    const folder = path.join(root, part);
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
 * Puts the files of a list that the target does not have yet with the same size and time. What has
 * been deleted meanwhile is passed over.
 *
 * @returns how many were put.
 */
export function copyNew(
  files: readonly ListedFile[],
  from: string,
  to: string,
  put: Put = copy,
): number {
  let copied = 0;
  for (const file of files) {
    const target = path.join(to, file.path);
    const there = fs.statSync(target, { throwIfNoEntry: false });
    const isThere =
      there && isSame(file, { path: "", bytes: there.size, modifiedMs: there.mtimeMs });
    if (!isThere && putWhole(file, path.join(from, file.path), target, put)) copied++;
  }
  return copied;
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
