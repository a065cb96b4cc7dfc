import { existsSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { SettingsError, settings } from "~/platform/settings.server";
import { prepared } from "~db/client.server";
import { processState } from "~db/runtime.server";
import { hasStoredFiles, storedFilesAfter } from "../files/stored-files.server";
import { withTemporaryPath } from "../files/temporary-files.server";
import { identifySite } from "../removal-guard.server";
import { type ObjectStore, StorageError } from "./object-store";
import { objectStore } from "./store.server";

/** The key of the store's marker, which contains the site's id, like `site.json` in the uploads folder. */
export const MARKER = "site.json";

/** The number of recorded objects that are looked up in a store without a marker. */
const SAMPLED_FILES = 3;

const identified = processState("identity of the file store", () => ({ url: "", siteId: "" }));

/**
 * Returns the store after verifying that it belongs to this site. All code that writes to the store has to use it.
 *
 * @throws {StorageError} `foreign` if it belongs to another site, or contains none of this site's files.
 */
export async function ownStore(): Promise<ObjectStore> {
  const store = await objectStore();
  const url = settings().storage?.url ?? "";
  if (readSiteId() === "") await identifySite();
  const siteId = readSiteId();
  const known = identified();
  if (known.url === url && known.siteId === siteId) {
    requireMounted();
    return store;
  }
  const marker = await readMarker(store);
  if (marker === undefined) {
    if (!(await mayAdopt(store))) throw new StorageError("foreign", url);
    await writeMarker(store, siteId);
  } else if (marker !== siteId) throw new StorageError("foreign", url);
  Object.assign(known, { url, siteId });
  return store;
}

/**
 * Ensures that STORAGE_URL is set if any of the site's files are in a store.
 *
 * @throws {SettingsError}
 */
export function requireStoreSetting(): void {
  if (settings().storage || !hasStoredFiles()) return;
  throw new SettingsError(
    "STORAGE_URL must be set, because this site has files in a file store. To move them back, run npm run move-storage -- --to disk.",
  );
}

/** Prevents writing to the empty folder that remains when a folder store is unmounted. */
function requireMounted(): void {
  const address = settings().storage?.address;
  if (address?.kind !== "folder" || existsSync(path.join(address.folder, MARKER))) return;
  throw new StorageError("away", address.folder);
}

function readSiteId(): string {
  return prepared<string>("SELECT site_id FROM storage").pluck().get()!;
}

/** Returns the id in the marker; undefined if there is no marker. */
async function readMarker(store: ObjectStore): Promise<string | undefined> {
  if (!(await store.head(MARKER))) return undefined;
  try {
    return String(JSON.parse(await text(await store.get(MARKER))).id);
  } catch (error) {
    if (error instanceof SyntaxError) return "";
    throw error;
  }
}

/** Whether a store without a marker is empty, or contains files that this site has recorded. */
async function mayAdopt(store: ObjectStore): Promise<boolean> {
  const sample = storedFilesAfter({ bucket: "", path: "" }, SAMPLED_FILES);
  let isEmpty = true;
  for await (const _ of store.list()) {
    isEmpty = false;
    break;
  }
  if (isEmpty) return sample.length === 0;
  for (const { object } of sample) if (await store.head(object)) return true;
  return false;
}

async function writeMarker(store: ObjectStore, id: string): Promise<void> {
  await withTemporaryPath(async (file) => {
    await fs.writeFile(file, `${JSON.stringify({ id })}\n`);
    await store.put(MARKER, file, "application/json");
  });
}
