import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { lstat, readdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { flushOne } from "~/shared/move-files.server";
import { prepared, sqliteHandle, writeTransaction } from "~db/client.server";
import { type Bucket, bucketFile, type MediaName } from "../bucket.server";
import { temporaryPath } from "../intake/received-file.server";
import { versionOf } from "../serve/file-version.server";
import { mediaType } from "../serve/media-type.server";
import { enterCopy, putCopy } from "./copies.server";
import type { ArchivedFile } from "./copy-archive.server";
import { MOST_POINTER_BYTES, pointerText } from "./pointer.server";
import { noteRemoval, putOrRemove } from "./remove.server";

/**
 * Below it a file stays on the disk with playlists, captions and pictures, which pages read while they are
 * made: all together about a hundredth of what a library takes. The store has a copy of it.
 */
const LEAST_BYTES = 64 * 1024;
/** Types of pictures, captions and playlists. */
const STAYS = /^(?:image|text)\/|mpegurl$|dash\+xml$/;
const ROWS_AT_ONCE = 100;

interface DueRow extends MediaName {
  videoId: string | null;
}

/** Where the mover is; `done` counts from its start. */
export interface MoveProgress {
  files: number;
  bytes: number;
}

/**
 * Moves the bytes of films into the store, of all files that were written since they were last looked at, and
 * puts a copy there of what stays on the disk. What jobs are at work on follows when they are done. A file is
 * read from the disk until the store has acknowledged all of it; killed at any point, it is in one place or in
 * both.
 *
 * @param isWanted asked before each file.
 * @throws {StorageError} when the store takes nothing more; what is left stays where it is.
 */
export async function moveDueFiles(
  onMoved: (progress: MoveProgress) => void = () => {},
  isWanted: () => boolean = () => true,
): Promise<MoveProgress> {
  const progress: MoveProgress = { files: 0, bytes: 0 };
  let after: MediaName = { bucket: "thumbnails", path: "" };
  for (;;) {
    const rows = dueAfter(after);
    const last = rows.at(-1);
    if (!last) return progress;
    after = last;
    for (const row of rows) {
      if (!isWanted()) return progress;
      await moveRow(row, progress, onMoved);
    }
  }
}

/** A job reads or writes the files of its video; the clean-up waits for hours and is no reason to. */
const IS_BUSY = /* sql */ `EXISTS (SELECT 1 FROM jobs WHERE jobs.video_id = media_files.video_id
  AND (state = 'running' OR (state = 'waiting' AND kind <> 'cleanup')))`;

function dueAfter({ bucket, path: after }: MediaName): DueRow[] {
  return prepared(
    `SELECT bucket, path, video_id AS videoId FROM media_files INDEXED BY media_files_due
     WHERE stored < 1 AND (bucket, path) > (?, ?) AND NOT ${IS_BUSY}
     ORDER BY bucket, path LIMIT ${ROWS_AT_ONCE}`,
  ).all(bucket, after) as DueRow[];
}

/** How many entries have not been looked at yet. */
export function dueEntries(): number {
  return prepared("SELECT count(*) FROM media_files WHERE stored < 1").pluck().get() as number;
}

async function moveRow(
  row: DueRow,
  progress: MoveProgress,
  onMoved: (progress: MoveProgress) => void,
): Promise<void> {
  // Whoever writes the files of this row meanwhile writes the row anew, with 0.
  const token = -1 - (randomBytes(6).readUIntBE(0, 6) % 2 ** 40);
  await writeTransaction(() => setState(row, "stored < 1", token));
  let result: RowResult = { isWhole: false };
  try {
    const isWhole = await moveFiles(row, progress, onMoved);
    result = { isWhole, copy: isWhole ? await putCopy(row, await smallFiles(row)) : undefined };
  } finally {
    const unneeded = await writeTransaction(() => endRow(row, token, result));
    if (unneeded) await noteRemoval(unneeded);
  }
}

interface RowResult {
  /** False when something could not be moved. */
  isWhole: boolean;
  copy?: Awaited<ReturnType<typeof putCopy>>;
}

/** Part of a transaction. @returns the key of an object that nobody needs any more. */
function endRow(row: DueRow, token: number, { isWhole, copy }: RowResult): string | undefined {
  if (!setState(row, `stored = ${token}`, Number(isWhole)))
    return copy?.isNew ? copy.key : undefined;
  if (!copy) return undefined;
  const { isThere, unneeded } = enterCopy(row, copy);
  if (!isThere) setState(row, "stored = 1", 0);
  return unneeded;
}

/** Part of a transaction. @returns whether the row was in the state before. */
function setState({ bucket, path }: DueRow, before: string, state: number): boolean {
  const set = `UPDATE media_files SET stored = @state WHERE bucket = @bucket AND path = @path AND ${before}`;
  return sqliteHandle().prepare(set).run({ bucket, path, state }).changes > 0;
}

/** Moves what is large of an entry. @returns false when something was changed meanwhile. */
async function moveFiles(
  row: DueRow,
  progress: MoveProgress,
  onMoved: (progress: MoveProgress) => void,
): Promise<boolean> {
  let isWhole = true;
  for await (const file of filesOf(row)) {
    const bytes = await moveFile(row, file);
    if (bytes === "busy") isWhole = false;
    if (typeof bytes !== "number" || bytes === 0) continue;
    progress.files += 1;
    progress.bytes += bytes;
    onMoved(progress);
  }
  return isWhole;
}

/** What is on the disk of an entry whose large files have been moved. */
async function smallFiles(row: DueRow): Promise<ArchivedFile[]> {
  const files: ArchivedFile[] = [];
  for await (const file of filesOf(row)) files.push(file);
  return files;
}

async function* filesOf({ bucket, path: name }: DueRow): AsyncGenerator<ArchivedFile> {
  const target = bucketFile(bucket, name);
  if (target) yield* filesIn(target, name);
}

async function* filesIn(file: string, name: string): AsyncGenerator<ArchivedFile> {
  const found = await lstat(file).catch(() => undefined);
  if (found?.isFile()) yield { file, path: name };
  if (!found?.isDirectory()) return;
  for (const each of (await readdir(file).catch(() => [])).sort()) {
    if (!each.startsWith(".")) yield* filesIn(path.join(file, each), `${name}/${each}`);
  }
}

/**
 * Stores one file and puts a pointer in its place.
 *
 * @returns its bytes, 0 for one that stays on the disk, "busy" for one that was changed meanwhile.
 */
async function moveFile(
  { bucket, videoId }: DueRow,
  { file, path: name }: ArchivedFile,
): Promise<number | "busy"> {
  const before = await lstat(file, { bigint: true }).catch(() => undefined);
  const type = await mediaType(file);
  if (!before?.isFile() || before.size < LEAST_BYTES || STAYS.test(type)) return 0;
  const key = keyFor(bucket, name);
  const { sha256, bytes } = await putOrRemove(key, file, type);
  const [version, modifiedMs] = [versionOf(before), Number(before.mtimeMs)];
  const text = pointerText({ key, bytes, sha256, version, modifiedMs, type });
  if (Buffer.byteLength(text) > MOST_POINTER_BYTES) throw new Error(`${name} is too long a name.`);
  const made = await temporaryPath();
  await writeFile(made, text, { flag: "wx" });
  await utimes(made, modifiedMs / 1000, modifiedMs / 1000);
  await flushOne(made);
  const isMoved = await writeTransaction(() => replace(file, before, made, videoId));
  if (isMoved) {
    await flushOne(path.dirname(file));
    return bytes;
  }
  fs.rmSync(made, { force: true });
  await noteRemoval(key);
  return "busy";
}

/**
 * In a transaction, since a job that would write the file begins with one: nothing comes between the look
 * and the renaming.
 */
function replace(
  file: string,
  before: fs.BigIntStats,
  made: string,
  videoId: string | null,
): boolean {
  const now = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (!now || versionOf(now) !== versionOf(before) || now.ctimeNs !== before.ctimeNs) return false;
  const isRunning = prepared("SELECT 1 FROM jobs WHERE video_id = ? AND state = 'running'");
  if (videoId !== null && isRunning.get(videoId)) return false;
  fs.renameSync(made, file);
  return true;
}

/** Readable by people: the name of the file, with a part before its ending that makes it new each time. */
function keyFor(bucket: Bucket, name: string): string {
  const ending = path.extname(name);
  return `${bucket}/${name.slice(0, name.length - ending.length)}.${randomBytes(8).toString("hex")}${ending}`;
}
