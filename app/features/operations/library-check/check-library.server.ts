import fs from "node:fs/promises";
import path from "node:path";
import type { Selectable } from "kysely";
import { checkDocuments, documentFile } from "~/features/consent/documents.server";
import { BUCKETS, bucketFile, type MediaName, mediaBasePath } from "~/media/bucket.server";
import { isPreservedFile } from "~/media/files/preserved.server";
import { isBeingRemoved } from "~/media/files/removals.server";
import {
  allStoredFiles,
  forgetStored,
  isStored,
  storedFilesOf,
} from "~/media/files/stored-files.server";
import { diskUsage, forgetFiles, replaceRecord } from "~/media/media-files.server";
import { type PauseReason, removalsPausedBy } from "~/media/removal-guard.server";
import { settings } from "~/platform/settings.server";
import { database, transaction } from "~db/client.server";
import type { MediaFilesTable } from "~db/schema";
import { claimantOf, ownerOf, readClaims } from "./claims.server";
import { type MissingFile, missingFiles } from "./missing-files.server";
import { isUnchanged, moveToQuarantine, QUARANTINE_MS, UNCHANGED_MS } from "./quarantine.server";

/** No upload takes this long between writing the first byte to the bucket and inserting the video's row. */
const ABANDONED_MS = 24 * 3_600_000;

/** A file, or a folder of derived files, in a bucket. */
export interface LibraryEntry extends MediaName {
  isFolder: boolean;
  bytes: number;
}

export interface LibraryReport {
  /** Entries in the buckets that don't belong to any video. */
  stray: LibraryEntry[];
  /** Files that are referenced by a video but don't exist. */
  missing: MissingFile[];
  /** The total number of entries, and their total size in bytes. */
  entries: number;
  bytes: number;
  /** The reason why removals are paused, if they are. */
  pausedBy?: PauseReason;
}

/**
 * Compares the buckets with the catalogue and corrects the recorded disk usage. Removes nothing, and can run while the
 * server is running: records written since the check started are kept, and files of uploads in progress aren't touched.
 *
 * @param wantsMissing whether to list and record missing files, which requires looking up every file on disk.
 * @param forgetsMissing whether to delete records of missing files even if there are so many that their folder may not
 * be mounted.
 */
export async function checkLibrary({
  wantsMissing = true,
  forgetsMissing = false,
} = {}): Promise<LibraryReport> {
  const recorded = await recordedFiles();
  const pausedBy = await removalsPausedBy();
  // Another site's files must not be recorded as this site's files.
  const corrects = pausedBy !== "other-database";
  const claims = await readClaims();
  const report: LibraryReport = {
    stray: [],
    missing: [],
    entries: 0,
    bytes: 0,
    pausedBy,
  };
  const found = new Set<string>();
  const unowned: LibraryEntry[] = [];
  for await (const entry of entries()) {
    const key = keyOf(entry);
    found.add(key);
    const videoId = ownerOf(entry, claims);
    if (videoId === undefined && (await isInTransit(entry))) continue;
    if (videoId === undefined) unowned.push(entry);
    report.entries += 1;
    report.bytes += entry.bytes;
    const before = recorded.get(key);
    // The record is the only evidence that the file belonged to a preserved video.
    const isKept = videoId === undefined && isPreservedFile(entry);
    const owner = videoId ?? (isKept ? (before?.video_id ?? null) : null);
    if (corrects) await correctRecord(entry, owner, before);
  }
  // Kept while removals are paused: at the next startup, the records show which files should exist.
  if (forgetsMissing || !pausedBy) await deleteOtherRecords(recorded, found);
  if (corrects) {
    await deleteOrphanDigests();
    await correctTotal();
  }
  report.stray = await stillUnowned(unowned);
  if (wantsMissing) for await (const file of missingFiles()) report.missing.push(file);
  return report;
}

/**
 * Moves entries that don't belong to any video to the quarantine, unless they have changed within the last week. Checks
 * the catalogue again first, because an upload that was being published may have been given its row in the meantime.
 *
 * @returns the moved entries.
 */
export async function quarantineStray(
  stray: readonly LibraryEntry[],
  now = Date.now(),
): Promise<LibraryEntry[]> {
  if (await removalsPausedBy()) return [];
  const moved: LibraryEntry[] = [];
  for (const entry of await stillUnowned(stray)) {
    const at = bucketFile(entry.bucket, entry.path);
    const isLocal = at && (await fs.lstat(at).catch(() => undefined)) !== undefined;
    const isOld = isLocal ? await isUnchanged(at, now) : isStoredUnchanged(entry, now);
    if (!at || !isOld || claimantOf(entry) || isPreservedFile(entry)) continue;
    if (isLocal) await moveToQuarantine(at, path.join(entry.bucket, entry.path), now);
    await transaction(() => {
      if (!claimantOf(entry)) forgetStored(entry, { retentionMs: QUARANTINE_MS }, now);
    });
    moved.push(entry);
  }
  await forgetFiles(moved);
  return moved;
}

/**
 * Moves documents that don't belong to any performer to the quarantine, unless they have changed within the last week.
 *
 * @returns the names of the moved documents.
 */
export async function quarantineDocuments(
  names: readonly string[],
  now = Date.now(),
): Promise<string[]> {
  if (await removalsPausedBy()) return [];
  const moved: string[] = [];
  for (const name of names) {
    const file = documentFile(name);
    if (!(await isUnchanged(file, now)) || !checkDocuments().stray.includes(name)) continue;
    await moveToQuarantine(file, path.join("documents", name), now);
    moved.push(name);
  }
  return moved;
}

function isStoredUnchanged(entry: LibraryEntry, now: number): boolean {
  return storedFilesOf(entry).every(({ modifiedMs }) => now - modifiedMs > UNCHANGED_MS);
}

/** Returns the entries that still don't belong to any video or to an upload in progress. */
async function stillUnowned(entries: readonly LibraryEntry[]): Promise<LibraryEntry[]> {
  const left: LibraryEntry[] = [];
  // Checked before the rows are read, because an upload only releases its reservation after its row has been written.
  for (const entry of entries) {
    if (!(await isInTransit(entry))) left.push(entry);
  }
  const claims = left.length > 0 ? await readClaims() : undefined;
  return left.filter((entry) => claims && ownerOf(entry, claims) === undefined);
}

/** Returns whether a file has no video because of an upload in progress or a pending removal. */
async function isInTransit(entry: LibraryEntry): Promise<boolean> {
  return (await isArriving(entry)) || isBeingRemoved(entry);
}

/**
 * Returns whether the file belongs to an upload in progress. An upload creates the empty folder `{userId}/{timestamp}`
 * as a reservation before the file's first byte arrives, and releases it once its row exists. A reservation older than
 * a day was left by a killed process.
 */
export async function isArriving({ path: pathInBucket, isFolder }: LibraryEntry): Promise<boolean> {
  // An import reserves a whole second with such a folder. Its rows in `imports` show whether it is still running.
  if (isFolder && pathInBucket.endsWith("000")) return false;
  const folder = bucketFile("videos", mediaBasePath(pathInBucket));
  if (!folder) return false;
  const [names, stat] = await Promise.all([
    fs.readdir(folder).catch(() => undefined),
    fs.stat(folder).catch(() => undefined),
  ]);
  return names?.length === 0 && stat !== undefined && Date.now() - stat.mtimeMs < ABANDONED_MS;
}

/** Returns the entries in all `{bucket}/{userId}/` folders. */
async function* entries(): AsyncGenerator<LibraryEntry> {
  for (const bucket of BUCKETS) {
    const root = path.join(settings().uploadsDir, bucket);
    for (const user of await listing(root)) {
      if (!user.isDirectory()) continue;
      for (const name of await listing(path.join(root, user.name))) {
        const isFolder = name.isDirectory();
        const bytes = await diskUsage(path.join(root, user.name, name.name));
        yield { bucket, path: `${user.name}/${name.name}`, isFolder, bytes };
      }
    }
  }
  yield* storedEntries();
}

/** Returns the entries that exist only in the store. */
async function* storedEntries(): AsyncGenerator<LibraryEntry> {
  let entry = "";
  for (const { bucket, path: name } of allStoredFiles()) {
    if (bucket === "documents") continue;
    const parts = name.split("/");
    const entryPath = parts.slice(0, 2).join("/");
    if (`${bucket}/${entryPath}` === entry) continue;
    entry = `${bucket}/${entryPath}`;
    const file = bucketFile(bucket, entryPath);
    if (!file || (await fs.lstat(file).catch(() => undefined))) continue;
    const bytes = await diskUsage(file);
    yield { bucket, path: entryPath, isFolder: parts.length > 2, bytes };
  }
}

/** Returns a folder's entries, except hidden ones, or an empty list if the folder doesn't exist. */
export async function listing(folder: string) {
  const all = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
  return all.filter(({ name }) => !name.startsWith("."));
}

/** Recomputes the recorded total from the individual file records. */
async function correctTotal(): Promise<void> {
  await database()
    .updateTable("storage")
    .set(({ selectFrom, fn, val }) => ({
      checked_at: new Date().toISOString(),
      bytes: selectFrom("media_files").select(
        fn.coalesce(fn.sum<number>("bytes"), val(0)).as("all"),
      ),
    }))
    .execute();
}

export type RecordedFile = Selectable<MediaFilesTable>;

const keyOf = ({ bucket, path }: MediaName) => `${bucket}/${path}`;

async function recordedFiles(): Promise<Map<string, RecordedFile>> {
  const rows = await database().selectFrom("media_files").selectAll().execute();
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** Writes the findings, unless the record has changed since `before` was read. */
export async function correctRecord(
  { bucket, path, bytes, isFolder }: LibraryEntry,
  videoId: string | null,
  before: RecordedFile | undefined,
): Promise<void> {
  const kind = isFolder ? "derived" : bucket === "videos" ? "video" : "thumbnail";
  if (before && before.bytes === bytes && before.video_id === videoId && before.kind === kind) {
    return;
  }
  await replaceRecord(before, { bucket, path, videoId, kind, bytes });
  if (before) return;
  // The file may have been deleted, and its record removed, after it was measured and before this record was written.
  const file = bucketFile(bucket, path);
  const isThere = file && (await fs.lstat(file).catch(() => undefined));
  if (!isThere && !isStored({ bucket, path })) await forgetFiles([{ bucket, path }]);
}

async function deleteOtherRecords(
  recorded: ReadonlyMap<string, RecordedFile>,
  found: ReadonlySet<string>,
): Promise<void> {
  for (const [key, file] of recorded) {
    // Files in subfolders are counted in their folder's entry.
    const isOwnEntry = file.path.split("/").length === 2;
    if (!(isOwnEntry && found.has(key))) await deleteRecordUnlessChanged(file);
  }
}

/** Deletes a record unless its file exists or the record has changed since it was read. */
export async function deleteRecordUnlessChanged(before: RecordedFile): Promise<void> {
  const isOwnEntry = before.path.split("/").length === 2;
  const file = bucketFile(before.bucket, before.path);
  if (isOwnEntry && file && (await fs.lstat(file).catch(() => undefined))) return;
  if (isOwnEntry && isStored(before)) return;
  await replaceRecord(before, undefined);
}

/**
 * Deletes the digests of videos that another tool has deleted. When this site deletes a video, the trash deletes its
 * digests.
 */
async function deleteOrphanDigests(): Promise<void> {
  const videos = database().selectFrom("videos").select("id");
  const deleted = database().selectFrom("deleted_videos").select("id");
  await database()
    .deleteFrom("video_digests")
    .where("video_id", "not in", videos)
    .where("video_id", "not in", deleted)
    .execute();
}
