import { rm, utimes } from "node:fs/promises";
import path from "node:path";
import { settings } from "~/server/settings.server";
import { moveFlushed } from "~/shared/move-files.server";
import { prepared, writeTransaction } from "~db/client.server";
import { BUCKETS } from "../bucket.server";
import { temporaryPath } from "../intake/received-file.server";
import { removeStaleCopies } from "./copies.server";
import { fetchObject } from "./local-copy.server";
import type { MoveProgress } from "./move-files.server";
import { pointersIn, readPointer } from "./pointer.server";
import { noteRemoval } from "./remove.server";

/** Every folder that contains pointers: the buckets, the quarantine, and that of blocked videos. */
export function foldersOfPointers(): string[] {
  return [...BUCKETS, ".quarantine", ".block-list"].map((name) =>
    path.join(settings().uploadsDir, name),
  );
}

const ROWS_AT_ONCE = 1_000;

/**
 * Brings the bytes of all files back to the disk, each read whole and compared with its digest before it
 * takes the place of its pointer, and has the copies of the others removed. Killed, it goes on where it was at
 * the next call.
 *
 * @throws {StorageError} when the store does not give a file; what is left stays in the store.
 */
export async function moveBack(onMoved: (progress: MoveProgress) => void): Promise<MoveProgress> {
  const progress: MoveProgress = { files: 0, bytes: 0 };
  for (const folder of foldersOfPointers()) {
    for await (const pointer of pointersIn(folder)) {
      const { file, key, bytes, modifiedMs, names } = pointer;
      const made = await temporaryPath();
      await fetchObject(pointer, made);
      await utimes(made, modifiedMs / 1000, modifiedMs / 1000);
      // Deleted, moved or replaced meanwhile: what was read is nobody's.
      if ((await readPointer(file))?.key !== key) {
        await rm(made, { force: true });
        continue;
      }
      await moveFlushed(made, file);
      if (names === 1) await noteRemoval(key);
      progress.files += 1;
      progress.bytes += bytes;
      onMoved(progress);
    }
  }
  await lookAgain();
  await removeStaleCopies();
  return progress;
}

/** Nothing of any entry is in the store any more, so all are due when it is used again. */
async function lookAgain(): Promise<void> {
  let changes: number;
  do {
    changes = await writeTransaction(() => {
      const copies = prepared(
        `UPDATE stored_copies SET stale = 1 WHERE (bucket, path) IN
           (SELECT bucket, path FROM stored_copies WHERE stale = 0 LIMIT ${ROWS_AT_ONCE})`,
      ).run();
      const entries = prepared(
        `UPDATE media_files SET stored = 0 WHERE (bucket, path) IN
           (SELECT bucket, path FROM media_files WHERE stored = 1 LIMIT ${ROWS_AT_ONCE})`,
      ).run();
      return copies.changes + entries.changes;
    });
  } while (changes > 0);
}
