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
 * Removes files that nothing refers to any more. Code that removes the last reference to a file enqueues its
 * removal in the same transaction. One worker removes it, after it has checked, in a transaction again, that
 * nothing refers to it: a row that another tool has written since keeps the file.
 *
 * In that transaction a file is set aside, and it is removed after the end. Killed at any point, it is in
 * its place, or set aside and looked at again.
 */

export type RemovalReason = "deleted" | "replaced" | "converted" | "discarded";

interface Removal {
  id: number;
  /** `store`: the path is the key of an object. */
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
 * Part of the transaction that removes the last reference.
 *
 * @param options.isOrdered whether a person ordered it for this very video: such removals are never paused.
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

/** Enqueues the removal of files that no row refers to, and starts it. */
export async function removeUnreferenced(
  files: readonly FileName[],
  reason: RemovalReason,
): Promise<void> {
  if (files.length === 0) return;
  await transaction(() => enqueueRemovals(files, { reason }));
  removeSoon();
}

/**
 * Announces files that a row will name: if their process is killed before it writes the row, they are removed a
 * day later. Called before the first of them is in its bucket.
 */
export function announceFiles(files: readonly FileName[]): Promise<void> {
  return transaction(() => files.forEach(announceFile));
}

/** Part of a transaction: announces one file. */
export function announceFile(file: FileName): void {
  enqueueRemovals([file], { reason: "discarded" }, Date.now() + ANNOUNCED_MS);
}

/** Whether a file was announced, and no row names it yet. */
export function isAnnounced({ bucket, path: name }: FileName): boolean {
  const announced = prepared(
    "SELECT 1 FROM removals WHERE bucket = ? AND path = ? AND reason = 'discarded'",
  );
  return announced.get(bucket, name) !== undefined;
}

/** Withdraws the announcement of files that a row names now. */
export async function withdrawAnnouncement(files: readonly FileName[]): Promise<void> {
  const withdraw = prepared(
    "DELETE FROM removals WHERE bucket = ? AND path = ? AND reason = 'discarded' AND is_ordered = 0",
  );
  await transaction(() => {
    for (const { bucket, path: name } of files) withdraw.run(bucket, name);
  });
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

/**
 * Removes all files and objects that are due; while removals are paused, only those that a person ordered.
 *
 * @param now a removal may be enqueued for later.
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
        // The removal stays, and the next round tries again.
        console.error(`Could not remove ${removal.bucket}/${removal.path}:`, error);
        if (error instanceof StorageError && error.failure === "away") isStoreAway = true;
      }
    }
    const final = removals.at(-1);
    // Read again, because removing a file enqueues its objects.
    if (!final) return;
    last = { notBefore: final.notBefore, id: final.id };
  }
}

function isOfFile(removal: Removal): removal is FileRemoval {
  return removal.bucket !== "store";
}

/** Keys are never used again, so an object without a record is unused. */
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
 * Whether a row refers to the file of an object, but the file is neither on the disk nor recorded in the store: the
 * database is a copy from before the file was moved. `npm run check-library -- --fix` brings such files back.
 */
export function isOfMissingFile(object: string): boolean {
  const name = nameOfObject(object);
  if (!name || storedFile(name)) return false;
  const file = filePath(name);
  // A playlist refers to the other files of its folder.
  const folder = { bucket: name.bucket, path: path.posix.dirname(name.path) };
  const isOfFolder = folder.path.includes("/") && isReferenced(folder);
  return file !== undefined && !isThere(file) && (isOfFolder || isReferenced(name));
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
    // Not one that was enqueued again in the meantime.
    const end = prepared("DELETE FROM removals WHERE id = ? AND created_at = ?");
    end.run(removal.id, removal.createdAt);
  });
  await measureFolderOf(removal);
}

/** The folder that a derived file or stream stood in counts less now. */
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
 * In the same bucket, which may be a volume of its own. No address leads there. File systems limit a name to 255
 * bytes, so a longer one is split into nested folders whose names end with "+".
 */
function asideOf({ bucket, path: name }: FileName): string {
  const pieces = encodeURIComponent(name).match(/.{1,200}/g) ?? [];
  return path.join(asideFolder(bucket), pieces.join("+/"));
}

/** Another tool's file at the same path, whose row is still to come. A folder holds derived files alone. */
function wasWrittenSince(file: string, createdAt: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return (
    found !== undefined &&
    !found.isDirectory() &&
    // In whole milliseconds, as the other time. Any tool may set the modification time into the future.
    Math.floor(Math.min(found.mtimeMs, found.ctimeMs)) > Date.parse(createdAt)
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
function putBack(entry: FileName): void {
  const aside = asideOf(entry);
  const file = filePath(entry);
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
  for (const bucket of FOLDERS) {
    for (const name of await namesAside(asideFolder(bucket))) {
      const entry = { bucket, path: decodeURIComponent(name) };
      await transaction(() => {
        if (!known.get(entry.bucket, entry.path)) putBack(entry);
      });
    }
  }
}

/** Returns the encoded names of all files that are set aside. */
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
