import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { settings } from "~/server/settings.server";
import { prepared } from "~db/client.server";
import { nameOfKey, pointersIn, readPointer } from "./pointer.server";
import { objectStore } from "./store.server";

/** The keys of objects that no file points at any more, one in each file, until the store has removed them. */
const removedFolder = () => path.join(settings().uploadsDir, ".removed");

/**
 * Removes a file or folder of the buckets or of the trash. What it points at is removed from the store
 * soon afterwards, also when the store is away now or the process is killed. What is not there is no error.
 */
export async function removeStored(target: string): Promise<void> {
  if (settings().storage) {
    for await (const { key, names } of pointersIn(target)) {
      // The same file may have a second name, see replace-video-file.server.ts.
      if (names === 1) await noteRemoval(key);
    }
  }
  await rm(target, { recursive: true, force: true });
}

/** Remembers that an object is to be removed. */
export async function noteRemoval(key: string): Promise<void> {
  await mkdir(removedFolder(), { recursive: true });
  const name = createHash("sha256").update(key).digest("hex");
  await writeFile(path.join(removedFolder(), name), key);
}

/**
 * Stores a file. After a failure the store may have all of it, although the answer never came: that is removed.
 *
 * @throws {StorageError}
 */
export async function putOrRemove(key: string, file: string, contentType: string) {
  try {
    return await (await objectStore()).put(key, file, contentType);
  } catch (error) {
    await noteRemoval(key);
    throw error;
  }
}

/**
 * Removes from the store what is to be removed. What a copy or the pointer in its place names is left
 * until it is named no more: a process may have been killed between the note and the removal of the pointer.
 *
 * @returns how many objects were removed.
 * @throws {StorageError} when the store does not let it; the rest is removed at the next call.
 */
export async function finishStoreRemovals(): Promise<number> {
  const names = await readdir(removedFolder()).catch(() => []);
  if (names.length === 0) return 0;
  const store = await objectStore();
  let removed = 0;
  for (const name of names) {
    const note = path.join(removedFolder(), name);
    const key = await readFile(note, "utf8").catch(() => "");
    if (await isReferenced(key)) continue;
    // Written by a process that was killed: check-library finds the object.
    if (key !== "") await store.remove(key);
    await rm(note, { force: true });
    removed += 1;
  }
  return removed;
}

/** Whether an object is the copy of an entry, or the pointer names it in whose place its file was. */
export async function isReferenced(key: string): Promise<boolean> {
  const copied = prepared("SELECT 1 FROM stored_copies WHERE key = ? AND stale = 0");
  if (copied.get(key) !== undefined) return true;
  const name = nameOfKey(key);
  if (name === undefined) return false;
  return (await readPointer(path.join(settings().uploadsDir, name)))?.key === key;
}
