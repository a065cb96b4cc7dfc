import { settings } from "~/server/settings.server";
import { type ObjectStore, StorageError } from "./object-store";

let open: { url: string; store: Promise<ObjectStore> } | undefined;

/**
 * The store that STORAGE_URL names. Its code is loaded on first use, so that a site without one has none
 * of it in memory.
 *
 * @throws {StorageError} "away" when the site has none.
 */
export function objectStore(): Promise<ObjectStore> {
  const { storage } = settings();
  if (!storage) return Promise.reject(new StorageError("away", "STORAGE_URL is not set"));
  if (open?.url !== storage.url) open = { url: storage.url, store: load(storage) };
  return open.store;
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
