import { lstat } from "node:fs/promises";
import path from "node:path";
import { bucketFile, type MediaName, parseMediaUrl } from "~/media/bucket.server";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { copyAgain, knownCopies } from "~/media/storage/copies.server";
import { foldersOfPointers } from "~/media/storage/move-back.server";
import { StorageError } from "~/media/storage/object-store";
import { nameOfKey, pointersIn } from "~/media/storage/pointer.server";
import { finishStoreRemovals, isReferenced, noteRemoval } from "~/media/storage/remove.server";
import { objectStore } from "~/media/storage/store.server";
import { settings } from "~/server/settings.server";
import { type Claims, ownerOf, readClaims } from "./claims.server";
import { UNCHANGED_MS } from "./quarantine.server";

/** If more and most objects of a store are unused, its database is probably another one. */
const MAX_STRAY_OBJECTS = 20;
/** No upload takes this long. */
const ABANDONED_MS = 24 * 3_600_000;

export interface StoreReport {
  /** Files of the disk, by their path in UPLOADS_DIR, whose bytes the store has not, or not all of them. */
  missing: string[];
  /** Entries whose copy the store has not; the site puts another there. */
  lostCopies: MediaName[];
  /** Objects of a week ago or longer that no file points at, and that belong to no file that is missing. */
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
  if (!(await removalsPausedBy())) await finishStoreRemovals();
  const store = await objectStore();
  const objects = new Map<string, { bytes: number; modifiedMs: number }>();
  for await (const { key, ...object } of store.list()) objects.set(key, object);
  const missing: string[] = [];
  for (const folder of foldersOfPointers()) {
    for await (const { file, key, bytes } of pointersIn(folder)) {
      if (objects.get(key)?.bytes === bytes) continue;
      // Moved since the list was read.
      const found = await store.head(key);
      if (found?.bytes !== bytes) missing.push(path.relative(settings().uploadsDir, file));
    }
  }
  const lostCopies: MediaName[] = [];
  for (const copy of knownCopies()) {
    if (copy.stale || objects.has(copy.key) || (await store.head(copy.key))) continue;
    lostCopies.push({ bucket: copy.bucket, path: copy.path });
    await copyAgain(copy);
  }
  const old = [...objects].filter(([, { modifiedMs }]) => now - modifiedMs > UNCHANGED_MS);
  const stray = (await unreferenced(old.map(([key]) => key))).map((key) => ({
    key,
    bytes: objects.get(key)?.bytes ?? 0,
  }));
  const unfinished = await store.unfinished(now - ABANDONED_MS);
  return { missing, lostCopies, stray, unfinished };
}

/**
 * Removes objects that no file points at, and what was sent in part. What has come to be referenced
 * since the report stays, as does everything while removals are paused.
 *
 * @returns the objects that were removed.
 */
export async function removeStrayObjects(
  { stray, unfinished }: Pick<StoreReport, "stray" | "unfinished">,
  now = Date.now(),
): Promise<StoreReport["stray"]> {
  if (await removalsPausedBy()) return [];
  const left = new Set(await unreferenced(stray.map(({ key }) => key)));
  if (left.size > MAX_STRAY_OBJECTS && left.size * 2 > (await countObjects())) {
    throw new StorageError("foreign", `${left.size} objects`);
  }
  const removed: StoreReport["stray"] = [];
  for (const object of stray) {
    // A video may have been restored from the trash while the folders were read.
    if (!left.has(object.key) || (await isReferenced(object.key))) continue;
    await noteRemoval(object.key);
    removed.push(object);
  }
  await finishStoreRemovals();
  if (unfinished.length > 0) await (await objectStore()).removeUnfinished(now - ABANDONED_MS);
  return removed;
}

async function countObjects(): Promise<number> {
  let count = 0;
  for await (const _ of (await objectStore()).list()) count += 1;
  return count;
}

/** Of some keys, those that no pointer and no copy names, and no pointer that is missing could name. */
async function unreferenced(keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const copies = knownCopies();
  const named = new Set(copies.map(({ key }) => key));
  for (const folder of foldersOfPointers()) {
    for await (const { key } of pointersIn(folder)) named.add(key);
  }
  const copied = new Set(copies.map(({ bucket, path }) => `${bucket}/${path}`));
  const claims = await readClaims();
  const left: string[] = [];
  for (const key of keys) {
    if (!named.has(key) && !(await isOfMissingFile(key, claims, copied))) left.push(key);
  }
  return left;
}

/**
 * Whether an object may be the one of a file whose pointer was lost with the disk: a row names the file, or
 * there is a copy of its pointer, and nothing is in its place.
 */
async function isOfMissingFile(
  key: string,
  claims: Claims,
  copied: ReadonlySet<string>,
): Promise<boolean> {
  const file = parseMediaUrl(`/media/${nameOfKey(key)}`);
  const at = file && bucketFile(file.bucket, file.path);
  if (!at || (await lstat(at).catch(() => undefined))) return false;
  const parts = file.path.split("/");
  const entry = { ...file, path: parts.slice(0, 2).join("/"), isFolder: parts.length > 2 };
  return ownerOf(entry, claims) !== undefined || copied.has(`${entry.bucket}/${entry.path}`);
}
