import { lstatSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { settings } from "~/platform/settings.server";
import { prepared, transaction } from "~db/client.server";
import { every, type PeriodicWork, processState } from "~db/runtime.server";
import { type FileName, FOLDERS, filePath, type MediaName, mediaBasePath } from "../bucket.server";
import { forgetEntry, type MediaFile, recordFile } from "../media-files.server";
import { removalsPausedBy } from "../removal-guard.server";
import { StorageError } from "../storage/object-store";
import { ownStore } from "../storage/store-identity.server";
import { isPreservedFile } from "./preserved.server";
import { isInUse, isReferenced } from "./references.server";
import {
  ANNOUNCED_MS,
  forgetStored,
  isObjectReferenced,
  nameOfObject,
  storedFile,
} from "./stored-files.server";

/**
 * Removes files that are no longer referenced. Code that removes the last reference to a file enqueues its removal in
 * the same transaction. A single worker removes the file, after checking in another transaction that nothing refers to
 * it: if another tool has written a row that refers to it in the meantime, the file is kept.
 *
 * A file to which nothing refers is moved aside in that transaction and deleted after the commit. If the process is
 * killed at any point, the file is either still in its place, or has been moved aside and is checked again.
 */

export type RemovalReason = "deleted" | "replaced" | "converted" | "discarded";

interface Removal {
  id: number;
  /** If this is `store`, the path is an object key. */
  bucket: FileName["bucket"] | "store";
  path: string;
  isOrdered: 0 | 1;
  createdAt: string;
  notBefore: string;
}

type FileRemoval = Removal & FileName;

const REMOVE_EVERY_MS = 60_000;
const ROWS_AT_ONCE = 100;

/**
 * Enqueues the removal of files, as part of the transaction that removes the last reference.
 *
 * @param options.isOrdered whether a person deleted this particular video. Such removals are never paused.
 */
export function enqueueRemovals(
  files: readonly FileName[],
  { reason, isOrdered = false }: { reason: RemovalReason; isOrdered?: boolean },
  now = Date.now(),
): void {
  const enqueue = prepared(/* sql */ `
    INSERT INTO removals (bucket, path, reason, is_ordered, created_at, not_before)
    VALUES (@bucket, @path, @reason, @isOrdered, @createdAt, @createdAt)
    ON CONFLICT (bucket, path) DO UPDATE SET reason = @reason, is_ordered = max(is_ordered, @isOrdered),
      created_at = @createdAt, not_before = @createdAt`);
  const createdAt = new Date(now).toISOString();
  for (const { bucket, path } of files) {
    enqueue.run({ bucket, path, reason, isOrdered: Number(isOrdered), createdAt });
  }
}

/** Enqueues the removal of files that no row refers to, and starts a removal run. */
export async function removeUnreferenced(
  files: readonly FileName[],
  reason: RemovalReason,
): Promise<void> {
  if (files.length === 0) return;
  await transaction(() => enqueueRemovals(files, { reason }));
  removeSoon();
}

/**
 * Announces files that a row will refer to, so that they are removed a day later if the process is killed before it
 * writes the row. Call it before moving the first file into its bucket.
 */
export function announceFiles(files: readonly FileName[]): Promise<void> {
  return transaction(() => files.forEach(announceFile));
}

/** Announces one file, as part of a transaction. */
export function announceFile(file: FileName): void {
  enqueueRemovals([file], { reason: "discarded" }, Date.now() + ANNOUNCED_MS);
}

/** Whether the row for an announced file is still missing. */
export function isAnnounced({ bucket, path: name }: FileName): boolean {
  const announced = prepared(
    "SELECT 1 FROM removals WHERE bucket = ? AND path = ? AND reason = 'discarded'",
  );
  return announced.get(bucket, name) !== undefined;
}

/** Withdraws the announcement of files to which a row now refers. */
export async function withdrawAnnouncement(files: readonly FileName[]): Promise<void> {
  const withdraw = prepared(
    "DELETE FROM removals WHERE bucket = ? AND path = ? AND reason = 'discarded' AND is_ordered = 0",
  );
  await transaction(() => {
    for (const { bucket, path: name } of files) withdraw.run(bucket, name);
  });
}

/** Whether the removal of a file, or of its folder, is enqueued or in progress. */
export function isBeingRemoved({ bucket, path: name }: MediaName): boolean {
  const known = prepared(
    `SELECT 1 FROM removals WHERE bucket = @bucket
       AND (path = @name OR substr(@name, 1, length(path) + 1) = path || '/')`,
  );
  return known.get({ bucket, name }) !== undefined;
}

const worker = processState("removals", () => ({ work: undefined as PeriodicWork | undefined }));

/** Starts the periodic removal of files. */
export function startRemovals(): void {
  worker().work = every(REMOVE_EVERY_MS, "remove files", removeFiles, { firstMs: 0 });
}

/**
 * Triggers a removal run. If the process doesn't run removals, for example a command, the site runs them within a
 * minute.
 */
export function removeSoon(): void {
  worker().work?.run();
}

/**
 * Removes all files and objects that are due. While removals are paused, removes only those that a person ordered.
 *
 * @param now removals that are due by this time are run.
 */
export async function removeFiles(now = Date.now()): Promise<void> {
  await returnUnknown();
  const isPaused = (await removalsPausedBy()) !== undefined;
  const next = prepared<Removal>(/* sql */ `
    SELECT id, bucket, path, is_ordered AS isOrdered, created_at AS createdAt, not_before AS notBefore
    FROM removals
    WHERE (not_before, id) > (@notBefore, @id) AND not_before <= @now AND is_ordered >= @leastOrdered
    ORDER BY not_before, id LIMIT ${ROWS_AT_ONCE}`);
  const until = { now: new Date(now).toISOString(), leastOrdered: Number(isPaused) };
  let isStoreAway = settings().storage === undefined;
  for (let last = { notBefore: "", id: 0 }; ; ) {
    const removals = next.all({ ...last, ...until });
    for (const removal of removals) {
      try {
        if (isOfFile(removal)) await remove(removal, now);
        else if (!isStoreAway) await removeObject(removal);
      } catch (error) {
        // The removal stays enqueued, and the next run retries it.
        console.error(`Could not remove ${removal.bucket}/${removal.path}:`, error);
        if (error instanceof StorageError && error.failure === "away") isStoreAway = true;
      }
    }
    const final = removals.at(-1);
    // The rows are read again, because removing a file enqueues the removal of its objects.
    if (!final) return;
    last = { notBefore: final.notBefore, id: final.id };
  }
}

function isOfFile(removal: Removal): removal is FileRemoval {
  return removal.bucket !== "store";
}

/** Removes an object unless it is still needed. Keys are never reused, so an object without a record is unused. */
async function removeObject({ id, path: object }: Removal): Promise<void> {
  const isNeeded = await transaction(() => {
    const needed = isObjectReferenced(object);
    if (needed) endRemoval(id);
    return needed || isOfMissingFile(object) || isOfPreserved(object);
  });
  if (isNeeded) return;
  const store = await ownStore();
  await store.remove(object);
  await transaction(() => endRemoval(id));
}

/**
 * Whether a row refers to an object's file although the file is neither on the disk nor recorded in the store. This
 * happens if the database is a copy from before the file was moved. `npm run check-library -- --fix` restores such
 * files.
 */
export function isOfMissingFile(object: string): boolean {
  const name = nameOfObject(object);
  if (!name || storedFile(name)) return false;
  const file = filePath(name);
  // A playlist refers to the other files in its folder.
  const folder = { bucket: name.bucket, path: path.posix.dirname(name.path) };
  const isOfFolder = folder.path.includes("/") && isReferenced(folder);
  return file !== undefined && !exists(file) && (isOfFolder || isReferenced(name));
}

function isOfPreserved(object: string): boolean {
  const name = nameOfObject(object);
  return name !== undefined && isPreservedFile(name);
}

const endRemoval = (id: number) => prepared("DELETE FROM removals WHERE id = ?").run(id);

async function remove(removal: FileRemoval, now: number): Promise<void> {
  const aside = asideOf(removal);
  const isUnneeded = await transaction(() => {
    if (!prepared("SELECT 1 FROM removals WHERE id = ?").get(removal.id)) return false;
    if (isReferenced(removal)) {
      putBack(removal);
      endRemoval(removal.id);
      return false;
    }
    if (isInUse(removal) || isPreservedFile(removal)) return false;
    const file = filePath(removal);
    if (file && wasWrittenSince(file, removal.createdAt)) {
      endRemoval(removal.id);
      return false;
    }
    if (file) setAside(file, aside);
    if (removal.bucket !== "documents") forgetEntry({ ...removal, bucket: removal.bucket });
    forgetStored(removal, { isOrdered: removal.isOrdered === 1 }, now);
    return true;
  });
  if (!isUnneeded) return;
  await rm(aside, { recursive: true, force: true });
  await transaction(() => {
    // Keep the removal if it was enqueued again in the meantime.
    const end = prepared("DELETE FROM removals WHERE id = ? AND created_at = ?");
    end.run(removal.id, removal.createdAt);
  });
  await measureFolderOf(removal);
}

/** Updates the recorded size of the folder from which a derived file or a stream was removed. */
async function measureFolderOf({ bucket, path: name }: FileName): Promise<void> {
  if (bucket === "documents") return;
  const folder = mediaBasePath(name);
  const record = prepared<Pick<MediaFile, "videoId" | "kind">>(
    "SELECT video_id AS videoId, kind FROM media_files WHERE bucket = ? AND path = ?",
  ).get(bucket, folder);
  if (record && name.startsWith(`${folder}/`))
    await recordFile({ bucket, path: folder, ...record });
}

const asideFolder = (bucket: FileName["bucket"]) =>
  path.join(settings().uploadsDir, bucket, ".removing");
/**
 * Returns the path to which a file is moved aside: in the same bucket, because buckets may be separate volumes, and at
 * a path that has no URL. File systems limit names to 255 bytes, so longer ones are split into nested folders whose
 * names end with "+".
 */
function asideOf({ bucket, path: name }: FileName): string {
  const pieces = encodeURIComponent(name).match(/.{1,200}/g) ?? [];
  return path.join(asideFolder(bucket), pieces.join("+/"));
}

/**
 * Whether another tool has written a file to the same path since the removal was enqueued, for a row that the tool
 * hasn't written yet. Folders don't count, because they contain only derived files.
 */
function wasWrittenSince(file: string, createdAt: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return (
    found !== undefined &&
    !found.isDirectory() &&
    // Compare whole milliseconds, because the time of the removal has no fractions of a millisecond. Tools may set a
    // modification time in the future.
    Math.floor(Math.min(found.mtimeMs, found.ctimeMs)) > Date.parse(createdAt)
  );
}

function setAside(file: string, aside: string): void {
  if (!exists(file)) return;
  mkdirSync(path.dirname(aside), { recursive: true });
  // An interrupted removal may already have moved another file aside, which was unreferenced too.
  rmSync(aside, { recursive: true, force: true });
  renameSync(file, aside);
}

/** Undoes an interrupted removal of a file that is referenced again. */
function putBack(entry: FileName): void {
  const aside = asideOf(entry);
  const file = filePath(entry);
  if (!file || !exists(aside) || exists(file)) return;
  mkdirSync(path.dirname(file), { recursive: true });
  renameSync(aside, file);
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Moves files back if the database has no record of their removal, for example because an older copy of it was
 * restored. A file isn't moved back if there is another file in its place.
 */
async function returnUnknown(): Promise<void> {
  const known = prepared("SELECT 1 FROM removals WHERE bucket = ? AND path = ?");
  for (const bucket of FOLDERS) {
    for (const name of await namesAside(asideFolder(bucket))) {
      const entry = { bucket, path: decodeURIComponent(name) };
      await transaction(() => {
        if (!known.get(entry.bucket, entry.path)) putBack(entry);
      });
    }
  }
}

/** Returns the encoded names of all files that have been moved aside. */
async function namesAside(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.endsWith("+")) names.push(name);
    else {
      const rest = await namesAside(path.join(folder, name));
      names.push(...rest.map((each) => name.slice(0, -1) + each));
    }
  }
  return names;
}
