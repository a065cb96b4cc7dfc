import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { mapConcurrently } from "~/shared/map-concurrently";
import { unlessMissing } from "~/shared/unless-missing";
import { prepared, transaction } from "~db/client.server";
import { type FileName, filePath } from "../bucket.server";
import { copyState, isMovingToDisk } from "../files/local-copies.server";
import {
  announceObjects,
  enqueueObjects,
  isStored,
  newObjectKey,
  recordStored,
  type StoredFile,
  storedFile,
} from "../files/stored-files.server";
import { versionOf } from "../serve/file-version.server";
import { mediaType } from "../serve/open-file.server";
import { isSmallVersion } from "../serve/small-thumbnail.server";
import { StorageError } from "./object-store";
import { ownStore } from "./store-identity.server";

const ROWS_AT_ONCE = 100;
/** Files up to this size are moved a few at a time. */
const MAX_SMALL_BYTES = 1024 ** 2;

interface DueRow extends FileName {
  videoId: string | null;
  bytes: number;
}

/** The amount moved so far. */
export interface MoveProgress {
  files: number;
  bytes: number;
}

/**
 * Moves all files that were written since the last run into the store, except files that jobs are working on. The disk
 * keeps a copy of each file, which may be evicted later.
 *
 * An object is announced before it is written, and the file's record is written after the store has acknowledged all of
 * its bytes. If the process is killed at any point, the file is either on the disk or in both places.
 *
 * @param isWanted called before each entry; return false to stop.
 * @throws {StorageError} if the store fails. Other failures, such as a file that can't be read, are thrown after
 *   everything else has been moved.
 */
export async function moveIntoStore(
  onMoved: (progress: MoveProgress) => void = () => {},
  isWanted: () => boolean = () => true,
): Promise<MoveProgress> {
  const progress: MoveProgress = { files: 0, bytes: 0 };
  let failure: unknown;
  const move = async (row: DueRow) => {
    try {
      await moveEntry(row, progress, onMoved);
    } catch (error) {
      if (error instanceof StorageError) throw error;
      console.error(`Could not move ${row.bucket}/${row.path} into the file store:`, error);
      failure ??= error;
    }
  };
  for (const row of dueDocuments()) {
    if (isWanted() && !isMovingToDisk()) await move(row);
  }
  let after: FileName = { bucket: "thumbnails", path: "" };
  for (;;) {
    const rows = dueAfter(after);
    const last = rows.at(-1);
    if (!last) break;
    after = last;
    for (const row of rows) {
      if (!isWanted() || isMovingToDisk()) return progress;
      await move(row);
    }
  }
  if (failure) throw failure;
  return progress;
}

/** Whether jobs are using the video's files. A waiting cleanup doesn't count, because it waits for hours. */
const IS_BUSY = /* sql */ `EXISTS (SELECT 1 FROM jobs WHERE jobs.video_id = media_files.video_id
  AND (state = 'running' OR (state = 'waiting' AND kind <> 'cleanup')))`;

/** Returns the documents to be moved. They never change, and no job works on them. */
function dueDocuments(): DueRow[] {
  const rows = prepared<string>("SELECT id FROM performer_documents WHERE stored = 0").pluck();
  return rows.all().map((id) => ({
    bucket: "documents",
    path: id,
    videoId: null,
    bytes: 1,
  }));
}

/**
 * Returns the next entries to be moved. A file that doesn't belong to a video may still be in use by the tool that is
 * writing it, so such files have to wait.
 */
function dueAfter({ bucket, path: after }: FileName): DueRow[] {
  return prepared<DueRow>(
    `SELECT bucket, path, video_id AS videoId, bytes FROM media_files INDEXED BY media_files_due
     WHERE stored < 1 AND video_id IS NOT NULL AND (bucket, path) > (?, ?) AND NOT ${IS_BUSY}
     ORDER BY bucket, path LIMIT ${ROWS_AT_ONCE}`,
  ).all(bucket, after);
}

/** Returns the number of files and folders that are waiting to be moved. */
export function dueEntries(): number {
  const count = prepared<number>(
    `SELECT (SELECT count(*) FROM media_files WHERE stored < 1 AND video_id IS NOT NULL)
       + (SELECT count(*) FROM performer_documents WHERE stored = 0)`,
  );
  return count.pluck().get()!;
}

interface LocalFile extends FileName {
  file: string;
  object: string;
  before: fs.BigIntStats;
}

async function moveEntry(
  row: DueRow,
  progress: MoveProgress,
  onMoved: (progress: MoveProgress) => void,
): Promise<void> {
  const store = await ownStore();
  // Claim the entry before listing its files, because a concurrent write records the entry again as not stored.
  const token = -1 - (randomBytes(6).readUIntBE(0, 6) % 2 ** 40);
  await transaction(() => claimEntry(row, token));
  const files: LocalFile[] = [];
  const target = filePath(row);
  if (target) for await (const file of newFilesIn(row, target)) files.push(file);
  await transaction(() => announceObjects(files.map(({ object }) => object)));
  const moved = new Map<LocalFile, StoredFile>();
  let failure: unknown;
  const move = async (each: LocalFile) => {
    if (failure) return;
    const { file, object, before } = each;
    try {
      const type = await mediaType(file);
      const { sha256, bytes } = await store.put(object, file, type);
      const modifiedMs = Number(before.mtimeMs);
      moved.set(each, { object, bytes, sha256, version: versionOf(before), modifiedMs, type });
    } catch (error) {
      failure ??= error;
    }
  };
  await mapConcurrently(
    files.filter(({ before }) => before.size <= MAX_SMALL_BYTES),
    move,
  );
  // Move large files one at a time, because each move buffers a part in memory.
  for (const each of files) if (each.before.size > MAX_SMALL_BYTES) await move(each);
  const recorded = await transaction(() => {
    const mayRecord = !isMovingToDisk() && !hasRunningJob(row.videoId);
    const done = [...moved].filter(
      ([each, stored]) => mayRecord && isUnchanged(each) && recordStored(each, stored),
    );
    const recordedFiles = new Set(done.map(([each]) => each));
    const left = files.filter((each) => !recordedFiles.has(each));
    // After a failure, the store may have a complete object even though its response was lost.
    enqueueObjects(
      left.map(({ object }) => object),
      { reason: "discarded", notBefore: Date.now() },
    );
    // If no files are found for an entry, they are missing from the disk, for example because a volume isn't mounted.
    const isEmpty = files.length === 0 && row.bytes > 0 && !isStored(row);
    finishEntry(row, token, left.length === 0 && !isEmpty);
    return done;
  });
  for (const [, { bytes }] of recorded) {
    progress.files += 1;
    progress.bytes += bytes;
    onMoved(progress);
  }
  if (failure) throw failure;
}

/** Claims an entry, unless it no longer exists, as part of a transaction. */
function claimEntry({ bucket, path }: DueRow, token: number): void {
  if (bucket === "documents") return;
  const take = prepared(
    "UPDATE media_files SET stored = ? WHERE bucket = ? AND path = ? AND stored < 1",
  );
  take.run(token, bucket, path);
}

/** Finishes an entry, unless it was recorded again, as part of a transaction. */
function finishEntry({ bucket, path }: DueRow, token: number, isWhole: boolean): void {
  if (bucket === "documents") {
    const set = prepared("UPDATE performer_documents SET stored = ? WHERE id = ?");
    set.run(Number(isWhole), path);
    return;
  }
  const finish = prepared(
    "UPDATE media_files SET stored = ? WHERE bucket = ? AND path = ? AND stored = ?",
  );
  finish.run(Number(isWhole), bucket, path, token);
}

function hasRunningJob(videoId: string | null): boolean {
  const job = prepared("SELECT 1 FROM jobs WHERE video_id = ? AND state = 'running'");
  return job.get(videoId) !== undefined;
}

/**
 * Whether a file is unchanged. Synchronous, so that nothing can happen between this check and the transaction's commit.
 */
function isUnchanged({ file, before }: LocalFile): boolean {
  const now = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return (
    now !== undefined && versionOf(now) === versionOf(before) && now.ctimeNs === before.ctimeNs
  );
}

/** Yields the files of an entry that aren't in the store. */
async function* newFilesIn(name: FileName, file: string): AsyncGenerator<LocalFile> {
  const before = await lstat(file, { bigint: true }).catch(unlessMissing);
  if (before?.isDirectory()) {
    for (const each of (await readdir(file)).sort()) {
      if (each.startsWith(".")) continue;
      yield* newFilesIn({ ...name, path: `${name.path}/${each}` }, path.join(file, each));
    }
  }
  if (!before?.isFile() || isSmallVersion(name)) return;
  const stored = storedFile(name);
  if (stored && (await copyState(file, stored)) === "current") return;
  yield { ...name, file, before, object: newObjectKey(name) };
}
