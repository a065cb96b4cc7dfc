import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { BUCKETS } from "~/media/bucket.server";
import { UNFINISHED } from "~/media/files/temporary-files.server";
import { settings } from "~/platform/settings.server";

/** An uploaded file in a backup's list of files. The path uses slashes: `videos/u/1.mp4`. */
export interface ListedFile {
  path: string;
  bytes: number;
  modifiedMs: number;
  /**
   * The digest of the file at the time it was copied, in hexadecimal. Missing in backups created with `npm run backup
   * -- FOLDER`.
   */
  sha256?: string;
  /** The time at which the copy was last read and compared with the digest (ISO 8601, UTC). */
  readAt?: string;
}

/** The names of the files and folders in a backup. */
export const BACKUP = {
  database: "site.sqlite",
  secret: "session-secret",
  listing: "files.json",
  uploads: "uploads",
  manifest: "backup.json",
} as const;

/** The folder that contains performers' documents. They are encrypted with a secret that isn't part of any backup. */
const DOCUMENTS = "documents";

/**
 * Returns the path of the file that contains the cookie secret. The file is used if the secret isn't set in the
 * settings.
 */
export function secretFile(): string {
  return path.join(path.dirname(path.resolve(settings().databasePath)), BACKUP.secret);
}

/** The folders in UPLOADS_DIR that are included in a backup. */
export const UPLOAD_FOLDERS = [...BUCKETS, DOCUMENTS];

/**
 * Lists the uploaded files in the order in which they must be copied, skipping files that are removed in the meantime.
 * While a stream is being encoded, its playlists and files grow. A playlist is therefore copied before the files, so
 * that the files contain all segments listed in the playlist, and the marker of an unfinished stream is copied before
 * both.
 *
 * @param isExcluded returns whether to skip a file.
 */
export function listUploads(
  root = settings().uploadsDir,
  isExcluded: (file: ListedFile) => boolean = () => false,
): ListedFile[] {
  const files = UPLOAD_FOLDERS.flatMap((folder) =>
    filesBelow(path.join(root, folder)).flatMap((at) => {
      const stat = fs.statSync(at, { throwIfNoEntry: false });
      if (!stat) return [];
      const name = path.relative(root, at).split(path.sep).join("/");
      const file = { path: name, bytes: stat.size, modifiedMs: stat.mtimeMs };
      return isExcluded(file) ? [] : [file];
    }),
  );
  const rank = ({ path: name }: ListedFile) =>
    isMarker(name) ? 0 : name.endsWith(".m3u8") ? 1 : 2;
  return files.sort((a, b) => rank(a) - rank(b));
}

/** Returns whether a file marks the stream in its folder as unfinished. */
function isMarker(file: string): boolean {
  return path.posix.basename(file) === UNFINISHED;
}

/** Returns the regular files in a folder and its subfolders, excluding hidden files. */
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
    // The folder was removed after its parent had been read; the `recursive` option of readdirSync would fail in that
    // case.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** Returns whether two entries have the same size and time, and therefore most likely the same content. */
export function isSame(a: ListedFile, b: ListedFile): boolean {
  return a.bytes === b.bytes && Math.abs(a.modifiedMs - b.modifiedMs) < 1;
}

/** Creates a copy of a listed file. With `link`, the copy shares its disk space with the source. */
export type CopyFile = (from: string, to: string, file: ListedFile) => void;

export const copy: CopyFile = (from, to, { modifiedMs }) => {
  fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
  fs.utimesSync(to, modifiedMs / 1000, modifiedMs / 1000);
};

export const link: CopyFile = (from, to) => fs.linkSync(from, to);

/**
 * Atomically copies a file to its target.
 *
 * @returns false if the source has been deleted in the meantime.
 */
export function copyAtomically(
  file: ListedFile,
  from: string,
  target: string,
  put: CopyFile = copy,
): boolean {
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
 * Copies the uploaded files, except those that the target already contains with the same size and time. Files that are
 * deleted in the meantime are skipped.
 *
 * @returns the number of copied files, and the site's files as copied to the target.
 */
export function copyNew(
  from: string,
  to: string,
  isExcluded: (file: ListedFile) => boolean,
): { copied: number; files: ListedFile[] } {
  let copied = 0;
  removeEndedMarkers(
    listUploads(to).map((file) => file.path),
    from,
    to,
  );
  const files = listUploads(from, isExcluded).flatMap((file) => {
    const target = path.join(to, file.path);
    if (!isPresent(file, target) && copyAtomically(file, path.join(from, file.path), target))
      copied++;
    const stat = fs.statSync(target, { throwIfNoEntry: false });
    return stat ? [{ path: file.path, bytes: stat.size, modifiedMs: stat.mtimeMs }] : [];
  });
  return { copied, files };
}

/** Returns whether an entry's file exists and has the same size and time. */
export function isPresent(entry: ListedFile, file: string): boolean {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return (
    stat !== undefined && isSame(entry, { path: "", bytes: stat.size, modifiedMs: stat.mtimeMs })
  );
}

/**
 * Removes copied markers of unfinished streams if the original markers are gone, because these streams have been
 * finished in the meantime.
 *
 * @param copies the paths of files in `to`.
 * @returns the removed paths.
 */
export function removeEndedMarkers(copies: Iterable<string>, from: string, to: string): string[] {
  const ended = [...copies].filter(
    (file) => isMarker(file) && !fs.existsSync(path.join(from, file)),
  );
  for (const file of ended) fs.rmSync(path.join(to, file), { force: true });
  return ended;
}

/** Atomically writes a backup file that only its owner can read. */
export function writeAtomically(file: string, content: string | Buffer): void {
  fs.writeFileSync(`${file}.partial`, content, { mode: 0o600 });
  fs.renameSync(`${file}.partial`, file);
}

export function readListing(backup: string): ListedFile[] {
  const listing = path.join(backup, BACKUP.listing);
  return fs.existsSync(listing) ? JSON.parse(fs.readFileSync(listing, "utf8")) : [];
}

export function writeListing(backup: string, files: readonly ListedFile[]): void {
  writeAtomically(path.join(backup, BACKUP.listing), `${JSON.stringify(files, null, 1)}\n`);
}

const CHUNK_BYTES = 1024 ** 2;

/**
 * Returns the SHA-256 digest of a file's content in hexadecimal. Blocks the thread, so it must not be used in the
 * server.
 */
export function digestOf(file: string): string {
  const hash = createHash("sha256");
  const descriptor = fs.openSync(file, "r");
  try {
    for (const chunk of chunksOf(descriptor)) hash.update(chunk);
    return hash.digest("hex");
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * Copies a file that other processes may be writing to or replacing. Copies the version to which the name refers at the
 * start, up to the length that the file has at that time. Blocks the thread.
 *
 * @returns an entry that describes the copy. The digest is computed from the bytes that were read from the source. The
 * entry's time is determined before the file is read, so that the entry never equals the entry for a later version.
 */
export function copyWithDigest(from: string, to: string): Omit<ListedFile, "path"> {
  const hash = createHash("sha256");
  const source = fs.openSync(from, "r");
  try {
    const { size, mtimeMs, mode } = fs.fstatSync(source);
    if (isCloned(from, to)) {
      fs.utimesSync(to, mtimeMs / 1000, mtimeMs / 1000);
      return { bytes: fs.statSync(to).size, modifiedMs: mtimeMs, sha256: digestOf(to) };
    }
    const target = fs.openSync(to, "w", mode);
    let bytes = 0;
    try {
      for (const chunk of chunksOf(source, size)) {
        hash.update(chunk);
        writeAll(target, chunk);
        bytes += chunk.length;
      }
      fs.futimesSync(target, mtimeMs / 1000, mtimeMs / 1000);
    } finally {
      fs.closeSync(target);
    }
    return { bytes, modifiedMs: mtimeMs, sha256: hash.digest("hex") };
  } finally {
    fs.closeSync(source);
  }
}

/**
 * Copies a file by sharing its blocks (reflink), which takes no space. Returns false if the file system doesn't support
 * this.
 */
function isCloned(from: string, to: string): boolean {
  try {
    fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw error;
    return false;
  }
}

/** Reads a file in chunks. A chunk is only valid until the next chunk is read. */
function* chunksOf(descriptor: number, bytes = Number.POSITIVE_INFINITY): Generator<Buffer> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let left = bytes;
  while (left > 0) {
    const read = fs.readSync(descriptor, chunk, 0, Math.min(CHUNK_BYTES, left), null);
    if (read === 0) return;
    left -= read;
    yield chunk.subarray(0, read);
  }
}

/** On an almost full disk, each call may write only part of the data. */
function writeAll(descriptor: number, chunk: Buffer): void {
  for (let at = 0; at < chunk.length; ) at += fs.writeSync(descriptor, chunk, at);
}

/** Flushes the file systems that contain the given folders to disk. */
export function flushFileSystems(folders: readonly string[]): void {
  const { status } = spawnSync("sync", ["-f", ...folders], { stdio: "ignore" });
  if (status !== 0) spawnSync("sync", { stdio: "ignore" });
}

/** The error thrown if a backup fails. The message is for the operator. */
export class BackupError extends Error {}

/** The error thrown if another process is running a backup. */
export class BackupRunningError extends BackupError {
  constructor() {
    super("Another backup is running.");
  }
}
