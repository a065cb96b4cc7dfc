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

/** No upload takes this long. */
const ABANDONED_MS = 24 * 3_600_000;

export interface StoreReport {
  /** Files, by bucket and path, whose object the store doesn't have, or has with another length. */
  missing: string[];
  /** Objects of files that are missing, because the database is a copy from before they were moved into the store. */
  recoverable: string[];
  /** Objects of a week ago or longer that no file's record names. */
  stray: { key: string; bytes: number }[];
  /** Keys of objects that were sent in part, a day ago or longer. */
  unfinished: string[];
}

/**
 * Compares the store with the records of the files in it. Undefined on a site without a store.
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
    // Moved since the list was read.
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
 * Enqueues the removal of objects that no file's record names, in 30 days, and removes what was sent in part.
 * A newer copy of the database, restored until then, may name them. Objects that have come to be named since the
 * report stay, as does everything while removals are paused.
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
 * Brings files to the disk whose objects are in the store without a record, the newest object of each.
 *
 * @returns their names.
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

/** Whether no record references an object and no removal of it is pending. */
function isUnused(object: string): boolean {
  return !isObjectReferenced(object) && !isObjectRemovalPending(object);
}
