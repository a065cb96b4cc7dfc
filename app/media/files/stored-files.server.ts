import { randomBytes } from "node:crypto";
import path from "node:path";
import { settings } from "~/platform/settings.server";
import { prepared } from "~db/client.server";
import { type FileName, FOLDERS, nameOfFile } from "../bucket.server";

/**
 * The record of the files that are in the file store (STORAGE_URL). A file with a row in `stored_files` is in the
 * store, and the file on the disk is a copy. A file without a row is only on the disk.
 */

export interface StoredFile {
  /** The object key. */
  object: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
  /** The entity tag from when the file was served from the disk, without quotes. */
  version: string;
  modifiedMs: number;
  /** Content-Type. */
  type: string;
}

const ROWS_AT_ONCE = 1_000;
/** The maximum time between announcing an object or a file and writing the row that refers to it. */
export const ANNOUNCED_MS = 24 * 3_600_000;
/**
 * How long an object stays in the store after its row was deleted, so that a copy of the database from the last few
 * days still finds every file that it refers to. Removals ordered by a person aren't delayed.
 */
export const OBJECT_GRACE_MS = 7 * 24 * 3_600_000;

const COLUMNS = "object, bytes, sha256, version, modified_ms AS modifiedMs, type";
/** "0" follows "/", so the range covers everything in a folder. */
const IS_BELOW = "path > @path || '/' AND path < @path || '0'";

/** Returns the record of a file; undefined for a file that is not in the store. */
export function storedFile({ bucket, path: name }: FileName): StoredFile | undefined {
  if (!settings().storage) return undefined;
  const row = prepared<StoredFile>(
    `SELECT ${COLUMNS} FROM stored_files WHERE bucket = ? AND path = ?`,
  );
  return row.get(bucket, name);
}

/** Returns the record of the file at an absolute path. */
export function storedFileAt(file: string): StoredFile | undefined {
  const name = settings().storage && nameOfFile(file);
  return name && storedFile(name);
}

/** Returns the records of a file, or of everything in a folder. */
export function storedFilesOf({ bucket, path: name }: FileName): (FileName & StoredFile)[] {
  if (!settings().storage) return [];
  const rows = prepared<FileName & StoredFile>(/* sql */ `
    SELECT bucket, path, ${COLUMNS} FROM stored_files WHERE bucket = @bucket AND path = @path
    UNION ALL SELECT bucket, path, ${COLUMNS} FROM stored_files WHERE bucket = @bucket AND ${IS_BELOW}`);
  return rows.all({ bucket, path: name });
}

/** Whether a file, or anything in a folder, is in the store. */
export function isStored({ bucket, path: name }: FileName): boolean {
  const row = prepared(/* sql */ `
    SELECT 1 FROM stored_files WHERE bucket = @bucket AND path = @path
    UNION ALL SELECT 1 FROM stored_files WHERE bucket = @bucket AND ${IS_BELOW} LIMIT 1`);
  return row.get({ bucket, path: name }) !== undefined;
}

/** Returns the next records, ordered by name. */
export function storedFilesAfter(
  { bucket, path: name }: FileName | { bucket: ""; path: "" },
  limit: number,
): (FileName & StoredFile)[] {
  const rows = prepared<FileName & StoredFile>(/* sql */ `
    SELECT bucket, path, ${COLUMNS} FROM stored_files WHERE (bucket, path) > (?, ?)
    ORDER BY bucket, path LIMIT ?`);
  return rows.all(bucket, name, limit);
}

/** Yields all records, ordered by name. The records may change while they are being read. */
export function* allStoredFiles(): Generator<FileName & StoredFile> {
  let last: Parameters<typeof storedFilesAfter>[0] = { bucket: "", path: "" };
  for (;;) {
    const files = storedFilesAfter(last, ROWS_AT_ONCE);
    yield* files;
    const final = files.at(-1);
    if (!final) return;
    last = final;
  }
}

/** Whether the site has any files in the store. */
export function hasStoredFiles(): boolean {
  return prepared("SELECT 1 FROM stored_files LIMIT 1").get() !== undefined;
}

const shortened = (segment: string) => segment.slice(0, 200);

/** Returns a new human-readable key: the file's name with 64 random bits before the extension. */
export function newObjectKey({ bucket, path: name }: FileName): string {
  const extension = path.extname(name);
  // The name may come from another tool and be too long to append the digits.
  const stem = name.slice(0, name.length - extension.length).replace(/[^/]{200,}$/, shortened);
  return `${bucket}/${stem}.${randomBytes(8).toString("hex")}${extension}`;
}

/** Matches the keys that `newObjectKey` creates: `{folder}/{path}.{16 hexadecimal digits}{extension}`. */
const KEY = /^([a-z]+)\/(.+)\.[\da-f]{16}(\.\w+)?$/;

/** Returns the name of the file for which an object was created. */
export function nameOfObject(object: string): FileName | undefined {
  const [, folder, stem, extension = ""] = KEY.exec(object) ?? [];
  const bucket = FOLDERS.find((name) => name === folder);
  return bucket && stem !== undefined ? { bucket, path: stem + extension } : undefined;
}

/**
 * Announces an object before it is written, as part of a transaction. If the process is killed before it calls
 * `recordStored`, the object is removed a day later.
 */
export function announceObjects(objects: readonly string[], now = Date.now()): void {
  enqueueObjects(objects, { reason: "discarded", notBefore: now + ANNOUNCED_MS });
}

/**
 * Records that a file is in the store, as part of a transaction. Enqueues the removal of the object that was previously
 * stored under this name.
 *
 * @returns false if the object's announcement has expired: the object may have been removed.
 */
export function recordStored({ bucket, path: name }: FileName, stored: StoredFile): boolean {
  const announced = prepared("DELETE FROM removals WHERE bucket = 'store' AND path = ?");
  if (announced.run(stored.object).changes === 0) return false;
  const before = storedFile({ bucket, path: name });
  prepared(/* sql */ `
    INSERT OR REPLACE INTO stored_files (bucket, path, object, bytes, sha256, version, modified_ms, type)
    VALUES (@bucket, @path, @object, @bytes, @sha256, @version, @modifiedMs, @type)`).run({
    ...stored,
    bucket,
    path: name,
  });
  if (before) enqueueObjects([before.object], { reason: "replaced" });
  return true;
}

/** Adds a second name for a stored file's object, as part of a transaction. */
export function recordAlias(from: FileName, to: FileName): void {
  prepared(/* sql */ `
    INSERT OR REPLACE INTO stored_files (bucket, path, object, bytes, sha256, version, modified_ms, type)
    SELECT @toBucket, @toPath, object, bytes, sha256, version, modified_ms, type
    FROM stored_files WHERE bucket = @bucket AND path = @path`).run({
    ...from,
    toBucket: to.bucket,
    toPath: to.path,
  });
}

/** Deletes the records of a file or folder and enqueues the removal of the objects, as part of a transaction. */
export function forgetStored(
  { bucket, path: name }: FileName,
  {
    isOrdered = false,
    retentionMs = isOrdered ? 0 : OBJECT_GRACE_MS,
  }: { isOrdered?: boolean; retentionMs?: number } = {},
  now = Date.now(),
): void {
  const forget = prepared<string>(/* sql */ `
    DELETE FROM stored_files WHERE bucket = @bucket AND (path = @path OR ${IS_BELOW})
    RETURNING object`).pluck();
  const objects = forget.all({ bucket, path: name });
  enqueueObjects(objects, { reason: "deleted", isOrdered, notBefore: now + retentionMs }, now);
}

/** Enqueues the removal of objects that no row refers to anymore, as part of a transaction. */
export function enqueueObjects(
  objects: readonly string[],
  {
    reason,
    isOrdered = false,
    notBefore,
  }: { reason: "deleted" | "replaced" | "discarded"; isOrdered?: boolean; notBefore?: number },
  now = Date.now(),
): void {
  const enqueue = prepared(/* sql */ `
    INSERT INTO removals (bucket, path, reason, is_ordered, created_at, not_before)
    VALUES ('store', @object, @reason, @isOrdered, @createdAt, @notBefore)
    ON CONFLICT (bucket, path) DO UPDATE SET reason = @reason,
      is_ordered = max(is_ordered, @isOrdered), not_before = @notBefore`);
  const createdAt = new Date(now).toISOString();
  const due = new Date(notBefore ?? now + OBJECT_GRACE_MS).toISOString();
  for (const object of objects) {
    enqueue.run({ object, reason, isOrdered: Number(isOrdered), createdAt, notBefore: due });
  }
}

/** Whether any record refers to an object. */
export function isObjectReferenced(object: string): boolean {
  return prepared("SELECT 1 FROM stored_files WHERE object = ?").get(object) !== undefined;
}

/** Whether an object's removal is enqueued, or the object has been announced. */
export function isObjectRemovalPending(object: string): boolean {
  const row = prepared("SELECT 1 FROM removals WHERE bucket = 'store' AND path = ?");
  return row.get(object) !== undefined;
}
