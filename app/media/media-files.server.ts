import { existsSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import type { Selectable } from "kysely";
import { prepared, transaction } from "~db/client.server";
import type { MediaFilesTable, MediaKind } from "~db/schema";
import { bucketFile, filePath, type MediaName, nameOfFile } from "./bucket.server";
import { storedFile, storedFileAt, storedFilesOf } from "./files/stored-files.server";

/**
 * The record of the files in the buckets and their sizes, so that the studio can show how much space is used without
 * walking the disk. This module also keeps the totals: `storage.bytes` for all files, `videos.bytes` for each video.
 */

/** A file, or a folder of derived files, which counts as one entry. */
export interface MediaFile extends MediaName {
  /**
   * The id of the video that owns the file; null if there is none yet, because the video's row may be written later.
   */
  videoId: string | null;
  kind: MediaKind;
  /** The file's size; measured on the disk if omitted. */
  bytes?: number;
  /** Whether the file is free of metadata about the location, device or author; omitted if that wasn't checked. */
  isClean?: boolean;
}

export type MeasuredFile = MediaFile & { bytes: number };

/** Records a new or changed file. Call it after each write to a bucket. */
export async function recordFile(file: MediaFile): Promise<void> {
  const bytes = file.bytes ?? (await diskUsage(bucketFile(file.bucket, file.path) ?? ""));
  await transaction(() => recordFileIn({ ...file, bytes }));
}

/** Records a new or changed file, as part of a transaction. */
export function recordFileIn(file: MeasuredFile): void {
  deleteRecord(file);
  insertRecord(file);
}

/**
 * Replaces a record with the entry found on the disk. Either of them may be missing. Does nothing if the record has
 * changed since it was read.
 */
export async function replaceRecord(
  before: Selectable<MediaFilesTable> | undefined,
  found: (MediaFile & { bytes: number }) | undefined,
): Promise<void> {
  const name = before ?? found;
  if (!name) return;
  await transaction(() => {
    const now = prepared<typeof before>(
      "SELECT video_id, kind, bytes FROM media_files WHERE bucket = ? AND path = ?",
    ).get(name.bucket, name.path)!;
    const { video_id, kind, bytes } = before ?? {};
    if (now?.video_id !== video_id || now?.kind !== kind || now?.bytes !== bytes) return;
    deleteRecord(name);
    if (found) insertRecord(found);
  });
}

/** Deletes the records of files and folders that are no longer in the buckets. */
export async function forgetFiles(files: readonly MediaName[]): Promise<void> {
  for (const file of files) await transaction(() => forgetEntry(file));
}

/** Deletes the record of a file, or of a folder and everything in it, as part of a transaction. */
export function forgetEntry({ bucket, path }: MediaName): void {
  const below = prepared<MediaName>(
    // "0" follows "/", so the range covers everything in the folder.
    `SELECT bucket, path FROM media_files
     WHERE bucket = @bucket AND path > @path || '/' AND path < @path || '0'`,
  );
  for (const file of [...below.all({ bucket, path }), { bucket, path }]) {
    deleteRecord(file);
  }
}

function deleteRecord({ bucket, path }: MediaName): void {
  const file = prepared<{ videoId: string | null; bytes: number }>(
    `DELETE FROM media_files WHERE bucket = ? AND path = ?
     RETURNING video_id AS videoId, bytes`,
  ).get(bucket, path);
  if (file) addToTotals(file.videoId, -file.bytes);
}

function insertRecord({ bucket, path, videoId, kind, bytes, isClean }: MeasuredFile): void {
  prepared(
    "INSERT INTO media_files (bucket, path, video_id, kind, bytes, clean) VALUES (?, ?, ?, ?, ?, ?)",
  ).run(bucket, path, videoId, kind, bytes, isClean ? 1 : 0);
  addToTotals(videoId, bytes);
}

/** Updates the totals, as part of the transaction that adds or removes a file. */
function addToTotals(videoId: string | null, bytes: number): void {
  if (bytes === 0) return;
  prepared("UPDATE storage SET bytes = bytes + ?").run(bytes);
  if (videoId === null) return;
  for (const table of ["videos", "video_files"]) {
    prepared(`UPDATE ${table} SET bytes = max(0, bytes + ?) WHERE id = ?`).run(bytes, videoId);
  }
}

/** Recomputes the total for a row that was added or whose files have changed, as part of a transaction. */
export function addUpFiles(table: "videos" | "video_files", id: string): void {
  prepared(
    `UPDATE ${table} SET bytes =
       (SELECT coalesce(sum(bytes), 0) FROM media_files WHERE video_id = @id)
     WHERE id = @id`,
  ).run({ id });
}

/** Returns the size of a file or folder, on the disk or in the store; 0 if it doesn't exist. */
export async function diskUsage(file: string): Promise<number> {
  const local = new Set<string>();
  let bytes = await localBytes(file, local);
  const name = nameOfFile(file);
  for (const stored of name ? storedFilesOf(name) : []) {
    if (!local.has(filePath(stored) ?? "")) bytes += stored.bytes;
  }
  return bytes;
}

async function localBytes(file: string, found: Set<string>): Promise<number> {
  try {
    const stat = await fs.lstat(file);
    found.add(file);
    if (!stat.isDirectory()) return stat.size;
    let bytes = 0;
    for (const name of await fs.readdir(file)) {
      bytes += await localBytes(path.join(file, name), found);
    }
    return bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

/** Returns the size of a file in bytes, on the disk or in the store; undefined if there is no such file. */
export async function fileBytes({ bucket, path: name }: MediaName): Promise<number | undefined> {
  const file = bucketFile(bucket, name);
  const found = await fs.stat(file ?? "").catch(() => undefined);
  return found?.isFile() ? found.size : storedFile({ bucket, path: name })?.bytes;
}

/** Whether there is a file at an absolute path, on the disk or in the store. */
export function fileExists(file: string): boolean {
  return existsSync(file) || storedFileAt(file) !== undefined;
}

/** Returns the names of the entries in a folder, on the disk or in the store. */
export async function namesIn(folder: MediaName): Promise<string[]> {
  const at = bucketFile(folder.bucket, folder.path);
  if (!at) return [];
  const names = new Set(await fs.readdir(at).catch(() => []));
  for (const stored of storedFilesOf(folder)) {
    names.add(stored.path.slice(folder.path.length + 1).split("/")[0]!);
  }
  return [...names];
}
