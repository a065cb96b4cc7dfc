import {
  enqueueObjects,
  isObjectReferenced,
  isObjectRemovalPending,
  storedFilesAfter,
} from "~/media/files/stored-files.server";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { MARKER, ownStore } from "~/media/storage/store-identity.server";
import { settings } from "~/server/settings.server";
import { writeTransaction } from "~db/client.server";
import { QUARANTINE_MS, UNCHANGED_MS } from "./quarantine.server";

/** No upload takes this long. */
const ABANDONED_MS = 24 * 3_600_000;
const ROWS_AT_ONCE = 1_000;

export interface StoreReport {
  /** Files, by bucket and path, whose object the store doesn't have, or has with another length. */
  missing: string[];
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
  for (const { object, bytes, bucket, path } of storedFiles()) {
    if (objects.get(object)?.bytes === bytes) continue;
    // Moved since the list was read.
    const found = await store.head(object);
    if (found?.bytes !== bytes) missing.push(`${bucket}/${path}`);
  }
  const stray = [...objects]
    .filter(([key, { modifiedMs }]) => key !== MARKER && now - modifiedMs > UNCHANGED_MS)
    .filter(([key]) => isUnused(key))
    .map(([key, { bytes }]) => ({ key, bytes }));
  return { missing, stray, unfinished: await store.unfinished(now - ABANDONED_MS) };
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
  await writeTransaction(() => enqueueObjects(keys, { reason: "discarded", notBefore }));
  if (unfinished.length > 0) await (await ownStore()).removeUnfinished(now - ABANDONED_MS);
  return unused;
}

/** Whether no record references an object and no removal of it is pending. */
function isUnused(object: string): boolean {
  return !isObjectReferenced(object) && !isObjectRemovalPending(object);
}

function* storedFiles() {
  let last: Parameters<typeof storedFilesAfter>[0] = { bucket: "", path: "" };
  for (;;) {
    const files = storedFilesAfter(last, ROWS_AT_ONCE);
    yield* files;
    const next = files.at(-1);
    if (!next) return;
    last = next;
  }
}
