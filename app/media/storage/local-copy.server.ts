import { rm } from "node:fs/promises";
import path from "node:path";
import { StorageError } from "./object-store";
import { type Pointer, readPointer } from "./pointer.server";
import { objectStore } from "./store.server";
import { writeHashed } from "./write-hashed.server";

const ATTEMPTS = 3;

/**
 * A file whose bytes are on this machine: the file itself, or for a pointer a copy in a folder, which
 * whoever asks removes. A copy and no address for ffmpeg: it reads a film several times and in leaps, and
 * a store that goes away in the middle would look like a film that is damaged.
 *
 * @throws {StorageError}
 */
export async function localCopy(file: string, folder: string): Promise<string> {
  const pointer = await readPointer(file);
  if (!pointer) return file;
  const target = path.join(folder, `stored-${pointer.sha256.slice(0, 16)}${path.extname(file)}`);
  await fetchObject(pointer, target);
  return target;
}

/**
 * Writes an object to a file, and compares it with its digest.
 *
 * @throws {StorageError}
 */
export async function fetchObject(
  { key, sha256 }: Pick<Pointer, "key" | "sha256">,
  target: string,
): Promise<void> {
  const store = await objectStore();
  for (let attempt = 1; ; attempt += 1) {
    try {
      const written = await writeHashed(await store.get(key), target);
      if (written.sha256 === sha256) return;
      throw new StorageError("damaged", key);
    } catch (error) {
      await rm(target, { force: true });
      if (attempt === ATTEMPTS || !mayPass(error)) throw error;
    }
  }
}

/** Whether it may go well the next time: a full disk or a missing object stays as it is. */
function mayPass(error: unknown): boolean {
  if (error instanceof StorageError) return error.failure === "damaged" || error.failure === "away";
  return (error as NodeJS.ErrnoException).code !== "ENOSPC";
}
