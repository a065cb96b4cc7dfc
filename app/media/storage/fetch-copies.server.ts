import { lstat, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { mapConcurrently } from "~/shared/map-concurrently";
import { moveFlushed } from "~/shared/move-files.server";
import { bucketFile, type MediaName } from "../bucket.server";
import { temporaryPath } from "../intake/received-file.server";
import { knownCopies, type StoredCopy } from "./copies.server";
import { unpackFiles } from "./copy-archive.server";
import { fetchObject } from "./local-copy.server";
import { StorageError } from "./object-store";

/**
 * Puts the files of a copy where they belong in the buckets of this machine. Each takes its place in one
 * step; what else stands in a folder of the entry is removed.
 *
 * @throws {StorageError}
 */
export async function fetchCopy({ key, sha256, bucket, path: entry }: StoredCopy): Promise<void> {
  const target = bucketFile(bucket, entry);
  if (!target) throw new StorageError("damaged", key);
  const folder = await temporaryPath();
  const archive = `${folder}.tar`;
  try {
    await fetchObject({ key, sha256 }, archive);
    const names = await unpackFiles(archive, { bucket, path: entry }, folder);
    const unpacked = path.join(folder, entry);
    if (await isThere(target)) {
      for (const name of names)
        await moveFlushed(path.join(folder, name), bucketFile(bucket, name)!);
      await removeOthers(target, new Set(names.map((name) => bucketFile(bucket, name)!)));
    } else await moveFlushed(unpacked, target);
  } finally {
    await rm(archive, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Fills the buckets again after their disk was lost: every entry of which nothing is there. One that is there
 * is whole, since a folder is moved into its place in one step.
 *
 * @returns how many were fetched, and what the store does not have any more.
 * @throws {StorageError}
 */
export async function restoreFiles(
  onFetched: (count: number) => void = () => {},
): Promise<{ fetched: number; lost: MediaName[] }> {
  let fetched = 0;
  const lost: MediaName[] = [];
  const copies = knownCopies().filter(({ stale }) => !stale);
  await mapConcurrently(copies, async (copy) => {
    if (await isThere(bucketFile(copy.bucket, copy.path) ?? "")) return;
    try {
      await fetchCopy(copy);
      fetched += 1;
      onFetched(fetched);
    } catch (error) {
      if (!isLost(error)) throw error;
      lost.push({ bucket: copy.bucket, path: copy.path });
    }
  });
  return { fetched, lost };
}

/** Whether another attempt would end in the same way. */
export function isLost(error: unknown): boolean {
  return (
    error instanceof StorageError && (error.failure === "missing" || error.failure === "damaged")
  );
}

async function isThere(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) !== undefined;
}

async function removeOthers(folder: string, files: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) await removeOthers(file, files);
    else if (!files.has(file)) await rm(file, { force: true });
  }
}
