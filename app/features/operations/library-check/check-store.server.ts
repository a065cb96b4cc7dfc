import { filePath } from "~/media/bucket.server";
import { isOfMissingFile } from "~/media/files/removals.server";
import {
  allStoredFiles,
  enqueueObjects,
  isObjectReferenced,
  isObjectRemovalPending,
  nameOfObject,
} from "~/media/files/stored-files.server";
import { withTemporaryPath } from "~/media/files/temporary-files.server";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { MARKER, ownStore } from "~/media/storage/store-identity.server";
import { writeHashed } from "~/media/storage/write-hashed.server";
import { settings } from "~/platform/settings.server";
import { moveFlushed } from "~/shared/move-files.server";
import { transaction } from "~db/client.server";
import { QUARANTINE_MS, UNCHANGED_MS } from "./quarantine.server";

/** Longer than any upload takes. */
const ABANDONED_MS = 24 * 3_600_000;

export interface StoreReport {
  /** Files (`{bucket}/{path}`) whose object is missing from the store or has a different length. */
  missing: string[];
  /** Objects for missing files that were moved into the store after this database was backed up. */
  recoverable: string[];
  /** Objects that are at least a week old and aren't referenced by any file's record. */
  stray: { key: string; bytes: number }[];
  /** The keys of incomplete uploads to the store that are at least a day old. */
  unfinished: string[];
}

/**
 * Compares the store's objects with the file records that reference them. Returns undefined if the site doesn't use a
 * store.
 *
 * @throws {StorageError}
 */
export async function checkStore(now = Date.now()): Promise<StoreReport | undefined> {
  if (!settings().storage) return undefined;
  const store = await ownStore();
  const objects = new Map<string, { bytes: number; modifiedMs: number }>();
  for await (const { key, ...object } of store.list()) objects.set(key, object);
  const missing: string[] = [];
  for (const { object, bytes, bucket, path } of allStoredFiles()) {
    if (objects.get(object)?.bytes === bytes) continue;
    // The object may have been moved since the list was read.
    const found = await store.head(object);
    if (found?.bytes !== bytes) missing.push(`${bucket}/${path}`);
  }
  const recoverable = [...objects]
    .sort(([, a], [, b]) => a.modifiedMs - b.modifiedMs)
    .map(([key]) => key)
    .filter(isOfMissingFile);
  const needed = new Set(recoverable);
  const stray = [...objects]
    .filter(([key, { modifiedMs }]) => key !== MARKER && now - modifiedMs > UNCHANGED_MS)
    .filter(([key]) => isUnused(key) && !needed.has(key))
    .map(([key, { bytes }]) => ({ key, bytes }));
  return { missing, recoverable, stray, unfinished: await store.unfinished(now - ABANDONED_MS) };
}

/**
 * Schedules the removal of unreferenced objects in 30 days, and removes incomplete uploads. The delay is needed because
 * someone may still restore a newer backup of the database that references the objects. Keeps objects that have been
 * referenced since the report was created, and keeps everything while removals are paused.
 *
 * @returns the objects that will be removed.
 */
export async function quarantineObjects(
  { stray, unfinished }: Pick<StoreReport, "stray" | "unfinished">,
  now = Date.now(),
): Promise<StoreReport["stray"]> {
  if (await removalsPausedBy()) return [];
  const unused = stray.filter(({ key }) => isUnused(key));
  const keys = unused.map(({ key }) => key);
  const notBefore = now + QUARANTINE_MS;
  await transaction(() => enqueueObjects(keys, { reason: "discarded", notBefore }));
  if (unfinished.length > 0) await (await ownStore()).removeUnfinished(now - ABANDONED_MS);
  return unused;
}

/**
 * Downloads missing files whose objects are in the store but have no record, using the newest object for each file.
 *
 * @returns the files' names.
 * @throws {StorageError}
 */
export async function recoverFiles({ recoverable }: Pick<StoreReport, "recoverable">) {
  const store = await ownStore();
  const recovered: string[] = [];
  for (const object of recoverable.toReversed()) {
    const name = nameOfObject(object);
    const file = name && filePath(name);
    if (!file || !isOfMissingFile(object)) continue;
    await withTemporaryPath(async (partial) => {
      await writeHashed(await store.get(object), partial);
      await moveFlushed(partial, file);
    });
    recovered.push(`${name.bucket}/${name.path}`);
  }
  return recovered;
}

/** Returns whether an object isn't referenced by any record and its removal isn't pending. */
function isUnused(object: string): boolean {
  return !isObjectReferenced(object) && !isObjectRemovalPending(object);
}
