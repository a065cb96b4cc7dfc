import { linkSync, lstatSync, mkdirSync, renameSync, type Stats, unlinkSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { settings } from "~/platform/settings.server";
import { formatBytes } from "~/shared/format-bytes";
import { flushOne, needsCopy } from "~/shared/move-files.server";
import { prepared, transaction } from "~db/client.server";
import { every, processState } from "~db/runtime.server";
import { type FileName, FOLDERS, filePath, mediaBasePath, nameOfFile } from "../bucket.server";
import { StorageError } from "../storage/object-store";
import { withRangedInput } from "../storage/ranged-input.server";
import { fetchObject, objectStore } from "../storage/store.server";
import { ownStore } from "../storage/store-identity.server";
import { diskFigures } from "./disk.server";
import { isInUse } from "./references.server";
import { type StoredFile, storedFile, storedFileAt } from "./stored-files.server";
import { withTemporaryPath } from "./temporary-files.server";

/**
 * On a site whose files are in a store, the disk is a cache limited by STORAGE_CACHE_BYTES. A local copy has the same
 * path and modification time as the stored file. A different size or time means that the file on the disk is newer and
 * not yet in the store.
 */

/** `newer`: the disk has a different file at this path, which hasn't been moved into the store yet. */
type CopyState = "current" | "missing" | "newer";

const EVICT_EVERY_MS = 10 * 60_000;
/**
 * The minimum time since a copy was last used before it may be evicted. It protects copies that were just fetched and
 * aren't open yet, or that the studio is reading. Jobs protect the copies that they use.
 */
const MIN_UNUSED_MS = 60_000;
/** The minimum interval between two updates of a copy's access time. It has to be shorter than `MIN_UNUSED_MS`. */
const ATIME_UPDATE_INTERVAL_MS = 30_000;
/** How far below the limit eviction stops, so that it doesn't run again for the next copy. */
const EVICTION_HEADROOM = 0.1;

const cache = processState("local copies", () => ({
  /** By path. */
  fetching: new Map<string, Promise<void>>(),
  /** The number of bytes added since the folders were last walked. */
  addedBytes: 0,
}));

/** Returns the record of the file at an absolute path; undefined if the disk has a newer file at that path. */
export async function storedUnlessNewer(file: string): Promise<StoredFile | undefined> {
  const stored = storedFileAt(file);
  return stored && (await copyState(file, stored)) !== "newer" ? stored : undefined;
}

/** Returns the state of the local copy of a stored file. */
export async function copyState(file: string, stored: StoredFile): Promise<CopyState> {
  const found = await fs.lstat(file).catch(() => undefined);
  if (!found) return "missing";
  if (isBrokenCopy(found, stored)) {
    await fs.rm(file, { force: true });
    return "missing";
  }
  if (isCopyOf(found, stored)) {
    if (Date.now() - found.atimeMs > ATIME_UPDATE_INTERVAL_MS) await touchCopy(file, stored);
    return "current";
  }
  return "newer";
}

type Stat = Pick<Stats, "size" | "mtimeMs">;

function isCopyOf(found: Stat, stored: StoredFile): boolean {
  return found.size === stored.bytes && hasTimeOf(found, stored);
}

/**
 * Whether a copy is truncated. A power failure may preserve a file's name and modification time but lose its content.
 */
function isBrokenCopy(found: Stat, stored: StoredFile): boolean {
  return found.size < stored.bytes && hasTimeOf(found, stored);
}

/** Compares two modification times. Some file systems round them to the millisecond. */
function hasTimeOf({ mtimeMs }: Stat, { modifiedMs }: StoredFile): boolean {
  return Math.abs(mtimeMs - modifiedMs) < 2;
}

/**
 * Whether the disk has a file at a path: a copy of the stored file, or a newer file. Synchronous, for use in a
 * transaction.
 */
export function isOnDisk(file: string, stored: StoredFile): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && !isBrokenCopy(found, stored);
}

/** Replaces the local copy of a stored file with the object, unless the disk has a newer file at its path. */
export function refetchCopy(name: FileName, file: string, stored: StoredFile): Promise<void> {
  return withFetched(stored, async (fetched) => {
    if ((await copyState(file, stored)) === "newer") return;
    await fs.rm(file, { force: true });
    place(name, fetched, file, stored);
  });
}

/** Downloads an object to a temporary file, which `use` may move. */
function withFetched(
  stored: StoredFile,
  use: (fetched: string) => void | Promise<void>,
): Promise<void> {
  return withTemporaryPath(async (fetched) => {
    await fetchObject(stored, fetched);
    await touchCopy(fetched, stored);
    await flushOne(fetched);
    await use(fetched);
  });
}

/** Updates the access time explicitly, because the file system may be mounted with `noatime`. */
async function touchCopy(file: string, { modifiedMs }: StoredFile): Promise<void> {
  await fs.utimes(file, new Date(), modifiedMs / 1000).catch(() => {});
}

/**
 * Makes sure that a file's content is on the disk.
 *
 * @param file absolute path. A file that is outside the buckets or isn't recorded as stored is left alone.
 * @returns the same path.
 * @throws {StorageError}
 * @throws ENOSPC if the disk has no space for it, before anything is read from the store.
 */
export async function localFile(file: string): Promise<string> {
  const name = settings().storage && nameOfFile(file);
  const stored = name && storedFile(name);
  if (name && stored && (await copyState(file, stored)) === "missing") {
    const { fetching } = cache();
    const running = fetching.get(file);
    if (running) await running;
    else {
      const fetched = fetchCopy(name, file, stored).finally(() => fetching.delete(file));
      fetching.set(file, fetched);
      await fetched;
    }
  }
  return file;
}

/**
 * Lets ffmpeg read a file while `work` is running: from the disk, from a copy that is fetched first, or with range
 * requests.
 *
 * @param options.fetchCopy false to use range requests even if a copy would fit, for work that needs only parts of the
 *   file. Copies that are larger than half the cache, or than the free disk space, aren't fetched.
 * @throws {StorageError}
 */
export async function withReadableFile<T>(
  file: string,
  work: () => Promise<T>,
  { fetchCopy = true } = {},
): Promise<T> {
  const stored = settings().storage && storedFileAt(file);
  if (!stored || (await copyState(file, stored)) !== "missing") return work();
  if (fetchCopy && (await fetchIfItFits(file, stored))) return work();
  return withRangedInput(file, stored, work);
}

async function fetchIfItFits(file: string, { bytes }: StoredFile): Promise<boolean> {
  if (bytes > settings().storageCacheBytes / 2) return false;
  try {
    await localFile(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") return false;
    throw error;
  }
}

/**
 * Returns the content of a small text file, such as a playlist. If no copy can be written to the disk, the content is
 * read from the store each time.
 *
 * @throws ENOENT if there is no such file, and {StorageError}.
 */
export async function readText(file: string): Promise<string> {
  try {
    return await fs.readFile(await localFile(file), "utf8");
  } catch (error) {
    const stored = storedFileAt(file);
    if (!stored) throw error;
    return text(await (await objectStore()).get(stored.object));
  }
}

async function fetchCopy(name: FileName, file: string, stored: StoredFile): Promise<void> {
  // A read replica doesn't create copies, because it may have the primary's folder mounted.
  if (settings().readOnlyFrom) throw new StorageError("away", name.path);
  await makeRoom(stored.bytes);
  await withFetched(stored, (fetched) => place(name, fetched, file, stored));
  cache().addedBytes += stored.bytes;
  const { storageCacheBytes } = settings();
  if (cache().addedBytes > storageCacheBytes * EVICTION_HEADROOM) evictor().work?.run();
}

/** Synchronously links a fetched copy to its path. Does nothing if the file was removed or written in the meantime. */
function place(name: FileName, fetched: string, file: string, stored: StoredFile): void {
  if (storedFile(name)?.object !== stored.object) return;
  mkdirSync(path.dirname(file), { recursive: true });
  try {
    linkSync(fetched, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (!needsCopy(code)) throw error;
    if (!lstatSync(file, { throwIfNoEntry: false })) renameSync(fetched, file);
  }
}

/** @throws ENOSPC if the disk has no space for that many bytes. */
async function makeRoom(bytes: number): Promise<void> {
  const lacking = async () => {
    const { freeBytes, reserveBytes } = await diskFigures();
    return bytes + reserveBytes - freeBytes;
  };
  const needed = await lacking();
  if (needed <= 0) return;
  await evictCopies({ needed });
  if ((await lacking()) <= 0) return;
  throw Object.assign(new Error(`ENOSPC: no space for a copy of ${formatBytes(bytes)}`), {
    code: "ENOSPC",
  });
}

const evictor = processState("eviction of local copies", () => ({
  work: undefined as ReturnType<typeof every> | undefined,
}));

/** Starts limiting the local copies to STORAGE_CACHE_BYTES. Does nothing if the site has no store. */
export function startEvicting(): void {
  if (!settings().storage) return;
  const evict = () => evictCopies().then(() => {});
  evictor().work = every(EVICT_EVERY_MS, "evict local copies of stored files", evict);
}

interface Copy extends FileName {
  file: string;
  stored: StoredFile;
  usedMs: number;
}

/**
 * Evicts the least recently used copies. Before it evicts a copy, it checks that the store has the object and that no
 * job is using the video.
 *
 * @param options.needed the number of bytes to evict even if the copies are below STORAGE_CACHE_BYTES. Ignored if all
 *   evictable copies together are smaller.
 * @returns the number of bytes that were evicted.
 * @throws {StorageError}
 */
export async function evictCopies({ needed = 0, now = Date.now() } = {}): Promise<number> {
  if (isMovingToDisk()) return 0;
  const limit = settings().storageCacheBytes;
  cache().addedBytes = 0;
  const copies: Copy[] = [];
  let total = 0;
  for (const bucket of FOLDERS) {
    for await (const copy of copiesIn({ bucket, path: "" })) {
      copies.push(copy);
      total += copy.stored.bytes;
    }
  }
  const evictable = copies
    .filter(({ usedMs }) => now - usedMs >= MIN_UNUSED_MS)
    .sort((a, b) => a.usedMs - b.usedMs);
  const evictableBytes = evictable.reduce((sum, { stored }) => sum + stored.bytes, 0);
  const excess = total > limit ? total - limit * (1 - EVICTION_HEADROOM) : 0;
  const goal = Math.max(needed <= evictableBytes ? needed : 0, excess);
  let evicted = 0;
  for (const copy of evictable) {
    if (evicted >= goal) break;
    if (await evict(copy)) evicted += copy.stored.bytes;
  }
  return evicted;
}

async function evict(copy: Copy): Promise<boolean> {
  const { stored, bucket, path: name } = copy;
  // If the store's folder has been unmounted, the local copies are the only ones that are left.
  const found = await (await ownStore()).head(stored.object);
  if (found?.bytes !== stored.bytes) {
    console.error(
      `${bucket}/${name} is missing from the file store, or has a different size there. Its local copy is kept.`,
    );
    return false;
  }
  // Evict in a transaction, because another process may be moving the file back to the disk.
  return transaction(() => !isMovingToDisk() && unlinkCopy(copy));
}

function unlinkCopy({ file, stored, bucket, path: name }: Copy): boolean {
  const base = bucket === "documents" ? name : mediaBasePath(name);
  const isUsed = [name, base].some((path) => isInUse({ bucket, path }));
  if (isUsed) return false;
  const now = lstatSync(file, { throwIfNoEntry: false });
  const isCurrent = storedFile({ bucket, path: name })?.object === stored.object;
  if (!now || !isCurrent || !isCopyOf(now, stored)) return false;
  unlinkSync(file);
  return true;
}

/** Whether all files are being moved back to the disk. */
export function isMovingToDisk(): boolean {
  return prepared("SELECT moving_to_disk FROM storage").pluck().get() === 1;
}

/** Yields the local copies in a folder. */
async function* copiesIn({ bucket, path: parent }: FileName): AsyncGenerator<Copy> {
  const at = path.join(settings().uploadsDir, bucket, parent);
  for (const entry of await fs.readdir(at, { withFileTypes: true }).catch(() => [])) {
    if (entry.name.startsWith(".")) continue;
    const name = { bucket, path: parent ? `${parent}/${entry.name}` : entry.name };
    if (entry.isDirectory()) yield* copiesIn(name);
    const file = entry.isFile() && filePath(name);
    const found = file && (await fs.lstat(file).catch(() => undefined));
    if (!file || !found) continue;
    const stored = storedFile(name);
    if (stored && isCopyOf(found, stored)) yield { ...name, file, stored, usedMs: found.atimeMs };
  }
}
