import { settings } from "~/platform/settings.server";
import { processState } from "~db/runtime.server";
import { removeTemporary } from "../files/temporary-files.server";
import { type ObjectStore, StorageError } from "./object-store";
import { writeHashed } from "./write-hashed.server";

const opened = processState("file store", () => ({
  url: "",
  store: undefined as Promise<ObjectStore> | undefined,
}));

/**
 * Returns the store at STORAGE_URL. Its code is loaded on first use, so that it uses no memory on sites without a
 * store.
 *
 * @throws {StorageError} `away` if the site has no store.
 */
export function objectStore(): Promise<ObjectStore> {
  const { storage } = settings();
  if (!storage) return Promise.reject(new StorageError("away", "STORAGE_URL is not set"));
  const state = opened();
  if (state.url !== storage.url || !state.store) {
    state.url = storage.url;
    state.store = load(storage);
  }
  return state.store;
}

async function load({
  address,
  keys,
}: NonNullable<ReturnType<typeof settings>["storage"]>): Promise<ObjectStore> {
  if (address.kind === "folder") {
    const { folderStore } = await import("./folder-store.server");
    return folderStore(address.folder);
  }
  const { s3Store } = await import("./s3-store.server");
  return s3Store(address, keys);
}

const ATTEMPTS = 3;

/**
 * Writes an object to a file and verifies its digest.
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

/** Whether another attempt may succeed. A full disk and a missing object are permanent failures. */
function isRetryable(error: unknown): boolean {
  if (error instanceof StorageError) return error.failure === "damaged" || error.failure === "away";
  return (error as NodeJS.ErrnoException).code !== "ENOSPC";
}
