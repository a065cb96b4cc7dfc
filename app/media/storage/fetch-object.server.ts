import { removeTemporary } from "../files/temporary-files.server";

import { StorageError } from "./object-store";
import { objectStore } from "./store.server";
import { writeHashed } from "./write-hashed.server";

const ATTEMPTS = 3;

/**
 * Writes an object to a file, and compares it with its digest.
 *
 * @throws {StorageError}
 */
export async function fetchObject(
  { object, sha256 }: { object: string; sha256: string },
  target: string,
): Promise<void> {
  const store = await objectStore();
  for (let attempt = 1; ; attempt += 1) {
    try {
      const written = await writeHashed(await store.get(object), target);
      if (written.sha256 === sha256) return;
      throw new StorageError("damaged", object);
    } catch (error) {
      await removeTemporary(target);
      if (attempt === ATTEMPTS || !isRetryable(error)) throw error;
    }
  }
}

/** A full disk or a missing object is permanent. */
function isRetryable(error: unknown): boolean {
  if (error instanceof StorageError) return error.failure === "damaged" || error.failure === "away";
  return (error as NodeJS.ErrnoException).code !== "ENOSPC";
}
