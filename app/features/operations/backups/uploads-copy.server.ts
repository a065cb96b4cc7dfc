import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import {
  BACKUP,
  copyAtomically,
  copyWithDigest,
  isSame,
  type ListedFile,
  link,
  listUploads,
  readListing,
  removeEndedMarkers,
} from "./backup-files.server";

/**
 * Creates the copy of the uploads in an unfinished backup. If an earlier backup contains a file with the same size and
 * time, the new copy is a hard link to the earlier one and takes no space.
 *
 * @param earlier the folder of the earlier backup.
 */
export function createUploadsCopy(uploadsDir: string, target: string, earlier: string | undefined) {
  const known = new Map<string, ListedFile>();
  for (const file of earlier ? readListing(earlier) : []) {
    if (file.sha256) known.set(file.path, file);
  }
  const have = new Map<string, ListedFile>();
  /** The number of bytes in each file that was copied rather than linked. */
  const copied = new Map<string, number>();

  const earlierCopy = (file: ListedFile) => {
    const before = known.get(file.path);
    if (!earlier || !before || !isSame(before, file)) return undefined;
    const from = path.join(earlier, BACKUP.uploads, before.path);
    const stat = fs.statSync(from, { throwIfNoEntry: false });
    return stat?.size === file.bytes ? { ...before, from } : undefined;
  };

  function add(file: ListedFile): void {
    const to = path.join(target, file.path);
    const before = earlierCopy(file);
    if (before && isLinked(file, before.from, to)) {
      const { sha256, readAt } = before;
      have.set(file.path, { ...file, sha256, readAt });
      return;
    }
    copyFrom(path.join(uploadsDir, file.path), file);
  }

  /**
   * Other processes may be writing to the file at the same time, so the entry describes the copy rather than the listed
   * file.
   */
  function copyFrom(from: string, file: ListedFile): boolean {
    let entry: ListedFile | undefined;
    const isCopied = copyAtomically(file, from, path.join(target, file.path), (source, partial) => {
      entry = { path: file.path, ...copyWithDigest(source, partial) };
    });
    if (!isCopied || !entry) return false;
    have.set(file.path, entry);
    copied.set(file.path, entry.bytes);
    return true;
  }

  return {
    /** Returns the total size of the files that aren't in any earlier backup. */
    bytesToCopy: (stored: StoredCopies) =>
      listUploads(uploadsDir, stored.has)
        .filter((file) => !earlierCopy(file))
        .reduce((sum, { bytes }) => sum + bytes, 0),
    /**
     * Adds the current files to the copy. Can be called repeatedly.
     *
     * @param stored local copies of files in the store, which aren't included in the backup.
     */
    copyNew(stored: StoredCopies) {
      for (const marker of removeEndedMarkers(have.keys(), uploadsDir, target)) {
        have.delete(marker);
      }
      for (const file of listUploads(uploadsDir, stored.has)) {
        const there = have.get(file.path);
        if (!there || !isSame(there, file)) add(file);
      }
    },
    /**
     * Copies a file again because its copy is damaged, and updates its entry. Returns false if the source no longer
     * exists.
     */
    repair(file: ListedFile) {
      // A file that has been modified since it was copied is copied in its current state.
      if (!copyFrom(path.join(uploadsDir, file.path), file)) return false;
      Object.assign(file, have.get(file.path));
      return true;
    },
    files: () => [...have.values()],
    /** Returns the number of bytes copied rather than linked. */
    addedBytes: () => [...copied.values()].reduce((sum, bytes) => sum + bytes, 0),
  };
}

/**
 * Links a file. Returns false if the file system doesn't support hard links or allows no more links to this file. In
 * that case, the file is copied.
 */
function isLinked(file: ListedFile, from: string, to: string): boolean {
  try {
    return copyAtomically(file, from, to, link);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EMLINK" || code === "EPERM" || code === "ENOTSUP" || code === "ENOSYS") {
      return false;
    }
    throw error;
  }
}

export type StoredCopies = ReturnType<typeof openStoredCopies>;

/**
 * Recognizes local copies of files that are in the store. A backup doesn't include these copies, because the files are
 * in the store, and the backup's database records where.
 */
export function openStoredCopies(databasePath: string) {
  const sqlite = new Sqlite(databasePath, { readonly: true });
  const find = sqlite.prepare<unknown[], number>(
    "SELECT modified_ms FROM stored_files WHERE path = ? AND bucket = ? AND bytes = ?",
  );
  return {
    has({ path, bytes, modifiedMs }: ListedFile): boolean {
      const [bucket = "", ...rest] = path.split("/");
      const stored = find.pluck().get(rest.join("/"), bucket, bytes);
      // A file system may round times to milliseconds.
      return stored !== undefined && Math.abs(stored - modifiedMs) < 2;
    },
    close: () => void sqlite.close(),
  };
}
