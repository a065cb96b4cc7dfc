import { lstatSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { settings } from "~/server/settings.server";
import { prepared, writeTransaction } from "~db/client.server";
import { every, type PeriodicWork, processState } from "~db/runtime.server";
import { BUCKETS, type Bucket, bucketFile, type MediaName, mediaBasePath } from "../bucket.server";
import { forgetEntry, type MediaFile, recordFile } from "../media-files.server";
import { removalsPausedBy } from "../removal-guard.server";
import { removeStored } from "../storage/remove.server";
import { isInUse, isReferenced } from "./references.server";

/**
 * Removes files that nothing refers to any more. Code that removes the last reference to a file enqueues its
 * removal in the same transaction. One worker removes it, after it has checked, in a transaction again, that
 * nothing refers to it: a row that another tool has written since keeps the file.
 *
 * In that transaction a file is set aside, and it is removed after the end. Killed at any point, it is in
 * its place, or set aside and looked at again.
 */

export type RemovalReason = "deleted" | "replaced" | "converted" | "discarded";

interface Removal extends MediaName {
  id: number;
  createdAt: string;
}

const REMOVE_EVERY_MS = 60_000;

/**
 * Part of the transaction that removes the last reference.
 *
 * @param options.isOrdered whether a person ordered it for this very video: such removals are never paused.
 */
export function enqueueRemovals(
  files: readonly MediaName[],
  { reason, isOrdered = false }: { reason: RemovalReason; isOrdered?: boolean },
  now = Date.now(),
): void {
  const enqueue = prepared(/* sql */ `
    INSERT INTO removals (bucket, path, reason, is_ordered, created_at)
    VALUES (@bucket, @path, @reason, @isOrdered, @createdAt)
    ON CONFLICT (bucket, path) DO UPDATE SET reason = @reason, is_ordered = max(is_ordered, @isOrdered),
      created_at = @createdAt`);
  const createdAt = new Date(now).toISOString();
  for (const { bucket, path } of files) {
    enqueue.run({ bucket, path, reason, isOrdered: Number(isOrdered), createdAt });
  }
}

/** Enqueues the removal of files that no row refers to, and starts it. */
export async function removeUnreferenced(
  files: readonly MediaName[],
  reason: RemovalReason,
): Promise<void> {
  if (files.length === 0) return;
  await writeTransaction(() => enqueueRemovals(files, { reason }));
  removeSoon();
}

/** Whether the removal of a file, or of the folder it is in, is under way. */
export function isBeingRemoved({ bucket, path: name }: MediaName): boolean {
  const known = prepared(
    `SELECT 1 FROM removals WHERE bucket = @bucket
       AND (path = @name OR substr(@name, 1, length(path) + 1) = path || '/')`,
  );
  return known.get({ bucket, name }) !== undefined;
}

const worker = processState("removals", () => ({ work: undefined as PeriodicWork | undefined }));

/** Removes files from now on. */
export function startRemovals(): void {
  worker().work = every(REMOVE_EVERY_MS, "remove files", removeFiles, { firstMs: 0 });
}

/** Does it now. Where nothing has started it, the site does it within a minute. */
export function removeSoon(): void {
  worker().work?.run();
}

/** Removes all files that are enqueued; while removals are paused those alone that a person ordered. */
export async function removeFiles(): Promise<void> {
  await returnUnknown();
  const isPaused = (await removalsPausedBy()) !== undefined;
  const next = prepared(/* sql */ `
    SELECT id, bucket, path, created_at AS createdAt FROM removals
    WHERE id > @after AND is_ordered >= @leastOrdered ORDER BY id LIMIT 1`);
  for (let after = 0; ; ) {
    const removal = next.get({ after, leastOrdered: Number(isPaused) }) as Removal | undefined;
    if (!removal) return;
    after = removal.id;
    try {
      await remove(removal);
    } catch (error) {
      // The removal stays, and the next round tries again.
      console.error(`Could not remove ${removal.bucket}/${removal.path}:`, error);
    }
  }
}

async function remove(removal: Removal): Promise<void> {
  const aside = asideOf(removal);
  const end = () => prepared("DELETE FROM removals WHERE id = ?").run(removal.id);
  const isUnneeded = await writeTransaction(() => {
    if (!prepared("SELECT 1 FROM removals WHERE id = ?").get(removal.id)) return false;
    if (isReferenced(removal)) {
      putBack(removal);
      end();
      return false;
    }
    if (isInUse(removal)) return false;
    const file = bucketFile(removal.bucket, removal.path);
    if (file && wasWrittenSince(file, removal.createdAt)) {
      end();
      return false;
    }
    if (file) setAside(file, aside);
    forgetEntry(removal);
    return true;
  });
  if (!isUnneeded) return;
  await removeStored(aside);
  await writeTransaction(end);
  await measureFolderOf(removal);
}

/** The folder that a derived file or stream stood in counts less now. */
async function measureFolderOf({ bucket, path: name }: MediaName): Promise<void> {
  const folder = mediaBasePath(name);
  const record = prepared(
    "SELECT video_id AS videoId, kind FROM media_files WHERE bucket = ? AND path = ?",
  ).get(bucket, folder) as Pick<MediaFile, "videoId" | "kind"> | undefined;
  if (record && name.startsWith(`${folder}/`))
    await recordFile({ bucket, path: folder, ...record });
}

const asideFolder = (bucket: Bucket) => path.join(settings().uploadsDir, bucket, ".removing");
/** In the same bucket, which may be a volume of its own. No address leads there. */
const asideOf = ({ bucket, path: name }: MediaName) =>
  path.join(asideFolder(bucket), encodeURIComponent(name));

/** Another tool's file at the same path, whose row is still to come. A folder holds derived files alone. */
function wasWrittenSince(file: string, createdAt: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return (
    found !== undefined &&
    !found.isDirectory() &&
    // In whole milliseconds, as the other time.
    Math.floor(found.mtimeMs) > Date.parse(createdAt)
  );
}

function setAside(file: string, aside: string): void {
  if (!isThere(file)) return;
  mkdirSync(path.dirname(aside), { recursive: true });
  // What an interrupted removal has set aside goes first: nothing referred to it either.
  rmSync(aside, { recursive: true, force: true });
  renameSync(file, aside);
}

/** Undoes an interrupted removal of a file that something refers to by now. */
function putBack(entry: MediaName): void {
  const aside = asideOf(entry);
  const file = bucketFile(entry.bucket, entry.path);
  if (!file || !isThere(aside) || isThere(file)) return;
  mkdirSync(path.dirname(file), { recursive: true });
  renameSync(aside, file);
}

function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Returns files to their places whose removal the database doesn't know, as after an older copy of it was
 * restored. One whose place is taken stays where it is.
 */
async function returnUnknown(): Promise<void> {
  const known = prepared("SELECT 1 FROM removals WHERE bucket = ? AND path = ?");
  for (const bucket of BUCKETS) {
    for (const name of await readdir(asideFolder(bucket)).catch(() => [])) {
      const entry = { bucket, path: decodeURIComponent(name) };
      await writeTransaction(() => {
        if (!known.get(entry.bucket, entry.path)) putBack(entry);
      });
    }
  }
}
