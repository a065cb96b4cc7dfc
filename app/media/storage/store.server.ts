import { settings } from "~/platform/settings.server";
import { processState } from "~db/runtime.server";
import { type ObjectStore, StorageError } from "./object-store";

const opened = processState("file store", () => ({
  url: "",
  store: undefined as Promise<ObjectStore> | undefined,
}));

/**
 * The store that STORAGE_URL names. Its code is loaded on first use, so that a site without one has none
 * of it in memory.
 *
 * @throws {StorageError} "away" when the site has none.
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
