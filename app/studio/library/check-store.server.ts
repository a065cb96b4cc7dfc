import path from "node:path";
import type { MediaName } from "~/media/bucket.server";
import { copyAgain, knownCopies } from "~/media/storage/copies.server";
import { foldersOfPointers } from "~/media/storage/move-back.server";
import { pointersIn } from "~/media/storage/pointer.server";
import { finishStoreRemovals, noteRemoval } from "~/media/storage/remove.server";
import { objectStore } from "~/media/storage/store.server";
import { settings } from "~/server/settings.server";

/** No film takes this long to be sent. */
const ABANDONED_MS = 24 * 3_600_000;

export interface StoreReport {
  /** Files of the disk, by their path in UPLOADS_DIR, whose bytes the store has not, or not all of them. */
  missing: string[];
  /** Entries whose copy the store has not; the site puts another there. */
  lostCopies: MediaName[];
  /** Objects that no file points at. */
  stray: { key: string; bytes: number }[];
  /** Keys of objects that were sent in part, a day ago or longer. */
  unfinished: string[];
}

/**
 * Compares the store with the files that point at it. Undefined on a site without a store.
 *
 * @throws {StorageError}
 */
export async function checkStore(now = Date.now()): Promise<StoreReport | undefined> {
  if (!settings().storage) return undefined;
  await finishStoreRemovals();
  const store = await objectStore();
  const objects = new Map<string, { bytes: number; modifiedMs: number }>();
  for await (const { key, ...object } of store.list()) objects.set(key, object);
  const missing: string[] = [];
  const named = new Set<string>();
  for (const folder of foldersOfPointers()) {
    for await (const { file, key, bytes } of pointersIn(folder)) {
      named.add(key);
      if (objects.get(key)?.bytes === bytes) continue;
      // Moved since the list was read.
      const found = await store.head(key);
      if (found?.bytes !== bytes) missing.push(path.relative(settings().uploadsDir, file));
    }
  }
  const lostCopies: MediaName[] = [];
  for (const copy of knownCopies()) {
    named.add(copy.key);
    if (copy.stale || objects.has(copy.key) || (await store.head(copy.key))) continue;
    lostCopies.push({ bucket: copy.bucket, path: copy.path });
    await copyAgain(copy);
  }
  const stray = [...objects]
    .filter(([key, { modifiedMs }]) => !named.has(key) && now - modifiedMs > ABANDONED_MS)
    .map(([key, { bytes }]) => ({ key, bytes }));
  const unfinished = await store.unfinished(now - ABANDONED_MS);
  return { missing, lostCopies, stray, unfinished };
}

/** Removes objects that no file points at, and what was sent in part. */
export async function removeStrayObjects(
  { stray, unfinished }: Pick<StoreReport, "stray" | "unfinished">,
  now = Date.now(),
): Promise<void> {
  for (const { key } of stray) await noteRemoval(key);
  await finishStoreRemovals();
  if (unfinished.length > 0) await (await objectStore()).removeUnfinished(now - ABANDONED_MS);
}
