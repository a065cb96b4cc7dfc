import path from "node:path";
import { flushOne } from "~/shared/move-files.server";
import { prepared, writeTransaction } from "~db/client.server";
import { type FileName, filePath } from "../bucket.server";
import { copyState, discardCopy, withLocalFile } from "../files/local-copies.server";
import {
  forgetStored,
  type StoredFile,
  storedFile,
  storedFilesAfter,
} from "../files/stored-files.server";
import { digestOf } from "../intake/tus-store.server";
import type { MoveProgress } from "./move-into-store.server";
import { StorageError } from "./object-store";

const ROWS_AT_ONCE = 1_000;

/**
 * Brings all files back to the disk. Each is compared with its digest before its record is removed and the
 * removal of its object is enqueued. Killed, it continues at the next call. From now on nothing is moved into
 * the store, until `moveToStore` says otherwise.
 *
 * @throws {StorageError} if the store doesn't give a file. What is left stays in the store.
 */
export async function moveBack(onMoved: (progress: MoveProgress) => void): Promise<MoveProgress> {
  await setLeavesStore(true);
  const progress: MoveProgress = { files: 0, bytes: 0 };
  for (;;) {
    const files = storedFilesAfter({ bucket: "", path: "" }, ROWS_AT_ONCE);
    if (files.length === 0) break;
    for (const stored of files) {
      await bringBack(stored);
      progress.files += 1;
      progress.bytes += stored.bytes;
      onMoved(progress);
    }
  }
  await moveEverythingAgain();
  return progress;
}

/** Sets whether all files are to be on the disk, although STORAGE_URL names a store. */
export async function setLeavesStore(leaves: boolean): Promise<void> {
  const set = prepared("UPDATE storage SET leaves_store = ?");
  await writeTransaction(() => set.run(Number(leaves)));
}

async function bringBack(stored: FileName & StoredFile): Promise<void> {
  const file = filePath(stored);
  if (!file) throw new StorageError("unplaced", `${stored.bucket}/${stored.path}`);
  await withLocalFile(file, async () => {
    // A damaged copy is fetched again, and compared while it is.
    if ((await digestOf(file)) !== stored.sha256) await discardCopy(file, stored);
  });
  await withLocalFile(file, async () => {
    await flushOne(file);
    await flushOne(path.dirname(file));
    const state = await copyState(file, stored);
    await writeTransaction(() => {
      // Removed, or brought back by another process, in the meantime.
      if (state === "missing" || storedFile(stored)?.object !== stored.object) return;
      forgetStored(stored, { isOrdered: true });
    });
  });
}

/** The store has nothing of any entry, so all are due when a store is used again. */
async function moveEverythingAgain(): Promise<void> {
  await writeTransaction(() => prepared("UPDATE performer_documents SET stored = 0").run());
  const set = prepared(
    `UPDATE media_files SET stored = 0 WHERE (bucket, path) IN
       (SELECT bucket, path FROM media_files WHERE stored = 1 LIMIT ${ROWS_AT_ONCE})`,
  );
  while ((await writeTransaction(() => set.run().changes)) > 0);
}
