import path from "node:path";
import { flushOne } from "~/shared/move-files.server";
import { prepared, transaction } from "~db/client.server";
import { type FileName, filePath } from "../bucket.server";
import { copyState, isOnDisk, localFile, refetchCopy } from "../files/local-copies.server";
import {
  allStoredFiles,
  forgetStored,
  type StoredFile,
  storedFile,
} from "../files/stored-files.server";
import { digestOf } from "../intake/tus-store.server";
import type { MoveProgress } from "./move-into-store.server";
import { StorageError } from "./object-store";

const ROWS_AT_ONCE = 1_000;

/**
 * Moves all files back to the disk. Each file's digest is verified before its record is deleted and the removal of its
 * object is enqueued. If it is interrupted, the next call resumes. Nothing is moved into the store until
 * `setMovingToDisk(false)` is called.
 *
 * @returns the final progress, and the bucket and path of each file that couldn't be moved. The records of those files
 *   are kept.
 * @throws {StorageError} if the store doesn't respond.
 */
export async function moveBack(
  onMoved: (progress: MoveProgress) => void,
): Promise<MoveProgress & { lost: string[] }> {
  await setMovingToDisk(true);
  const progress: MoveProgress = { files: 0, bytes: 0 };
  for (;;) {
    const lost: string[] = [];
    let moved = 0;
    for (const stored of allStoredFiles()) {
      if (!(await bringBack(stored))) {
        lost.push(`${stored.bucket}/${stored.path}`);
        continue;
      }
      moved += 1;
      progress.files += 1;
      progress.bytes += stored.bytes;
      onMoved(progress);
    }
    // While this was running, the server may have finished moving other files into the store and recorded them.
    if (moved > 0) continue;
    if (lost.length === 0) await resetStoredFlags();
    return { ...progress, lost };
  }
}

/** Sets whether all files should be on the disk even though STORAGE_URL is set. */
export async function setMovingToDisk(isMoving: boolean): Promise<void> {
  const set = prepared("UPDATE storage SET moving_to_disk = ?");
  await transaction(() => set.run(Number(isMoving)));
}

/** @returns false if the object is missing or damaged, or the path contains a symbolic link. */
async function bringBack(stored: FileName & StoredFile): Promise<boolean> {
  try {
    await moveToDisk(stored);
    return true;
  } catch (error) {
    if (error instanceof StorageError && error.isPermanent) return false;
    throw error;
  }
}

async function moveToDisk(stored: FileName & StoredFile): Promise<void> {
  const file = filePath(stored);
  if (!file) throw new StorageError("invalidPath", `${stored.bucket}/${stored.path}`);
  // Since the file was listed, it may have been removed or moved back by another process.
  const isGone = () => storedFile(stored)?.object !== stored.object;
  if (isGone()) return;
  try {
    await localFile(file);
    const isDamaged = async () => (await digestOf(file)) !== stored.sha256;
    if ((await copyState(file, stored)) === "current" && (await isDamaged())) {
      await refetchCopy(stored, file, stored);
    }
    await flushOne(file);
    await flushOne(path.dirname(file));
    await transaction(() => {
      if (!isGone() && isOnDisk(file, stored)) forgetStored(stored, { isOrdered: true });
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || !isGone()) throw error;
  }
}

/** Marks all entries as not stored, so that they are moved if the site uses a store again. */
async function resetStoredFlags(): Promise<void> {
  await transaction(() => prepared("UPDATE performer_documents SET stored = 0").run());
  const set = prepared(
    `UPDATE media_files SET stored = 0 WHERE (bucket, path) IN
       (SELECT bucket, path FROM media_files WHERE stored = 1 LIMIT ${ROWS_AT_ONCE})`,
  );
  while ((await transaction(() => set.run().changes)) > 0);
}
