import { bucketFile, parseMediaUrl } from "~/media/bucket.server";
import { digestOf } from "~/media/intake/tus-store.server";
import { fileExists } from "~/media/media-files.server";
import { settings } from "~/platform/settings.server";
import { prepared, transaction } from "~db/client.server";
import { every, processState } from "~db/runtime.server";
import type { BlockReason } from "~db/schema/moderation";
import { createWriteYielder } from "~db/threads/checkpoint.server";
import { VARIANTS } from "./frame-hashes";

/** The error message for a file that is on the block list. */
export const BLOCKED_FILE =
  "This file is on the block list and can’t be uploaded. The upload was deleted.";

/** How a blocked video can be recognized. */
export interface Blocked {
  blockedVideoId: number;
  /**
   * `frames`: by its frames, which have been extracted or are being extracted. `few`: by only a few frames, which were
   * extracted for an earlier comparison. `bytes`: only by identical files.
   */
  known: "frames" | "few" | "bytes";
}

interface FileRow {
  title: string;
  video_url: string;
  source_url: string | null;
}

/**
 * Adds a video to the block list. Must be called inside the transaction that removes the video. The video may be in the
 * catalogue or in the trash, and may be permanently deleted right afterwards: its file is kept until its frames have
 * been extracted in the background, even if the site restarts in the meantime.
 *
 * @returns undefined if there is no such video. If the video is already blocked, its reason is updated.
 */
export function blockVideo(
  videoId: string,
  reason: BlockReason,
  now = new Date(),
): Blocked | undefined {
  const row = rowOf(videoId);
  if (!row) return undefined;
  unblockVideo(videoId);
  const blockedVideoId = Number(
    prepared(
      `INSERT INTO blocked_videos (video_id, reason, blocked_at, state, title)
       VALUES (?, ?, ?, 'none', ?)`,
    ).run(videoId, reason, now.toISOString(), row.title).lastInsertRowid,
  );
  prepared(
    `INSERT INTO blocked_files (sha256, blocked_video_id)
     SELECT sha256, @blockedVideoId FROM video_digests WHERE video_id = @videoId
     UNION SELECT sha256, @blockedVideoId FROM video_files
       WHERE video_id = @videoId AND state = 'original' AND sha256 IS NOT NULL`,
  ).run({ videoId, blockedVideoId });
  const hasFew = copyFrames(videoId, blockedVideoId);
  const file = fileOf(row);
  const state = file ? "waiting" : hasFew ? "few" : "none";
  prepared("UPDATE blocked_videos SET state = ?, file = ? WHERE id = ?").run(
    state,
    file,
    blockedVideoId,
  );
  notifyHashing();
  return { blockedVideoId, known: state === "waiting" ? "frames" : hasFew ? "few" : "bytes" };
}

/**
 * Removes a video from the block list. Must be called inside a transaction.
 *
 * @returns whether it was on the list.
 */
export function unblockVideo(videoId: string): boolean {
  return prepared("DELETE FROM blocked_videos WHERE video_id = ?").run(videoId).changes > 0;
}

/**
 * Removes an entry from the list. Must be called inside a transaction. The entry matches nothing until it is put back.
 * Videos on hold because of the entry stay on hold until someone has reviewed them.
 *
 * @returns whether the entry was on the list.
 */
export function removeEntry(blockedVideoId: number, now = new Date()): boolean {
  const { changes } = prepared(
    "UPDATE blocked_videos SET removed_at = ? WHERE id = ? AND removed_at IS NULL",
  ).run(now.toISOString(), blockedVideoId);
  if (changes === 0) return false;
  prepared(
    "DELETE FROM block_list_matches WHERE blocked_video_id = ? AND dismissed_at IS NULL",
  ).run(blockedVideoId);
  return true;
}

/** How long a removed entry can still be put back. */
export const PUT_BACK_DAYS = 30;

/** Returns the cutoff time (ISO 8601, UTC): entries removed before it can no longer be put back. */
function putBackLimit(now = Date.now()): string {
  return new Date(now - PUT_BACK_DAYS * 24 * 3_600_000).toISOString();
}

/**
 * Puts a removed entry back on the list. Must be called inside a transaction. Afterwards, the caller must compare the
 * entry with the videos that were uploaded in the meantime.
 *
 * @returns false if the entry wasn't removed, or was removed too long ago.
 */
export function putBackEntry(blockedVideoId: number): boolean {
  const { changes } = prepared(
    "UPDATE blocked_videos SET removed_at = NULL WHERE id = ? AND removed_at > ?",
  ).run(blockedVideoId, putBackLimit());
  return changes > 0;
}

/** Returns whether a file is identical to a blocked video's file. */
export function isBlockedFile(sha256: string): boolean {
  return (
    prepared(
      `SELECT 1 FROM blocked_files JOIN blocked_videos ON blocked_videos.id = blocked_video_id
       WHERE sha256 = ? AND removed_at IS NULL`,
    ).get(sha256) !== undefined
  );
}

/** Returns whether the list contains MD5 digests. If so, the MD5 digests of uploaded files must be computed too. */
export function hasBlockedMd5s(): boolean {
  return (
    prepared(
      `SELECT 1 FROM blocked_videos WHERE digests IS NOT NULL AND removed_at IS NULL
         AND EXISTS (SELECT 1 FROM blocked_md5s WHERE blocked_video_id = blocked_videos.id)`,
    ).get() !== undefined
  );
}

/** Returns whether a file has the same MD5 digest as a blocked file. */
export function isBlockedMd5(md5: string): boolean {
  return (
    prepared(
      `SELECT 1 FROM blocked_md5s JOIN blocked_videos ON blocked_videos.id = blocked_video_id
       WHERE md5 = ? AND removed_at IS NULL`,
    ).get(md5) !== undefined
  );
}

/** Returns whether the list contains any frames that videos can be compared with. */
export function hasBlockedFrames(): boolean {
  return (
    prepared(
      "SELECT 1 FROM blocked_videos WHERE frames <> x'' AND removed_at IS NULL LIMIT 1",
    ).get() !== undefined
  );
}

function rowOf(videoId: string): FileRow | undefined {
  const columns = "title, video_url, source_url";
  const live = prepared(`SELECT ${columns} FROM videos WHERE id = ?`).get(videoId);
  if (live) return live as FileRow;
  return prepared<FileRow>(
    `SELECT title, coalesce(row ->> 'video_url', '') AS video_url, row ->> 'source_url' AS source_url
     FROM deleted_videos WHERE id = ?`,
  ).get(videoId);
}

/**
 * Copies the frames that were recorded when the video was compared. They are uncropped and far apart. Returns false if
 * there are none.
 */
function copyFrames(videoId: string, blockedVideoId: number): boolean {
  const row = prepared<{ first: number; step: number; frames: Buffer }>(
    "SELECT first, step, frames FROM video_frames WHERE video_id = ? AND frames <> x''",
  ).get(videoId);
  if (!row) return false;
  const count = row.frames.length / 16;
  const frames = new Uint8Array(count * VARIANTS * 8);
  for (let at = 0; at < count; at++) {
    frames.set(row.frames.subarray(at * 16, at * 16 + 8), at * VARIANTS * 8);
  }
  prepared(
    "UPDATE blocked_videos SET first = @first, step = @step, frames = @frames WHERE id = @blockedVideoId",
  ).run({ first: row.first, step: row.step, frames, blockedVideoId });
  return true;
}

/** Returns the path, in the bucket, of the file from which the frames are extracted. */
function fileOf(row: FileRow): string | undefined {
  for (const url of [row.video_url, row.source_url]) {
    const name = parseMediaUrl(url ?? "");
    const file = name?.bucket === "videos" ? bucketFile(name.bucket, name.path) : undefined;
    if (file && fileExists(file)) return name?.path;
  }
  return undefined;
}

/** An uploaded file that is about to become a video or to replace a video's file. */
export interface ArrivedFile {
  path: string;
  /** The digest in hexadecimal; undefined if there is no file. */
  sha256?: string;
  /** The MD5 digest in hexadecimal; only set if the list contains MD5 digests. */
  md5?: string;
}

/** Returns whether a file is on the list. Reads the file only if the list contains MD5 digests. */
export async function isOnBlockList(file: ArrivedFile): Promise<boolean> {
  let found = findOnList(file);
  while (found === "needs MD5") {
    file.md5 = await digestOf(file.path, "md5");
    found = findOnList(file);
  }
  return found;
}

/**
 * Runs the transaction that inserts the files' rows, and passes it the files that aren't on the block list. The files
 * are compared inside the transaction, because the list may have grown while they were being examined.
 */
export async function insertUnblocked<T extends ArrivedFile, R>(
  files: readonly T[],
  insert: (unblocked: T[]) => R,
): Promise<R> {
  for (;;) {
    for (const file of files) await isOnBlockList(file);
    const inserted = await transaction(() => {
      const found = files.map(findOnList);
      if (found.includes("needs MD5")) return undefined;
      return { result: insert(files.filter((_, at) => !found[at])) };
    });
    if (inserted) return inserted.result;
  }
}

function findOnList({ sha256, md5 }: ArrivedFile): boolean | "needs MD5" {
  if (sha256 === undefined) return false;
  if (isBlockedFile(sha256)) return true;
  if (md5 !== undefined) return isBlockedMd5(md5);
  return hasBlockedMd5s() && "needs MD5";
}

const EVERY_MS = 60_000;
/** The number of rows per transaction. */
const BATCH_SIZE = 32;
const DIGEST_BATCH_SIZE = 200;

/** Starts deleting the block list's expired data every minute. */
export function startDeletingExpiredEntries(): void {
  every(EVERY_MS, "delete old entries and titles of the block list", () => deleteExpiredEntries());
}

/**
 * Deletes entries that were removed from the list more than 30 days ago, and the titles of videos that were blocked
 * longer ago than REPORT_KEEP.
 *
 * @param now milliseconds since 1970.
 */
export async function deleteExpiredEntries(now = Date.now()): Promise<void> {
  const removedBefore = putBackLimit(now);
  const yieldIfDue = createWriteYielder();
  const due = prepared(
    `SELECT id FROM blocked_videos WHERE removed_at <= ? LIMIT ${BATCH_SIZE}`,
  ).pluck();
  for (let ids = due.all(removedBefore); ids.length > 0; ids = due.all(removedBefore)) {
    for (const id of ids) await deleteEntry(id as number, removedBefore);
  }
  const deleteTitles = prepared(
    `UPDATE blocked_videos SET title = NULL WHERE id IN
       (SELECT id FROM blocked_videos
        WHERE title IS NOT NULL AND video_id IS NOT NULL AND blocked_at <= ? LIMIT ${BATCH_SIZE})`,
  );
  const blockedBefore = new Date(now - settings().reportKeepMs).toISOString();
  while ((await transaction(() => deleteTitles.run(blockedBefore))).changes === BATCH_SIZE) {
    await yieldIfDue();
  }
}

/** Deletes an entry in several transactions, because the entry may have hundreds of thousands of digests. */
async function deleteEntry(id: number, removedBefore: string): Promise<void> {
  const yieldIfDue = createWriteYielder();
  const isDue =
    "blocked_video_id IN (SELECT id FROM blocked_videos WHERE id = @id AND removed_at <= @before)";
  for (const [table, column] of [
    ["blocked_files", "sha256"],
    ["blocked_md5s", "md5"],
  ]) {
    const some = prepared(
      `DELETE FROM ${table} WHERE ${isDue} AND ${column} IN
         (SELECT ${column} FROM ${table} WHERE blocked_video_id = @id LIMIT ${DIGEST_BATCH_SIZE})`,
    );
    const deleteSome = () => some.run({ id, before: removedBefore });
    while ((await transaction(deleteSome)).changes === DIGEST_BATCH_SIZE) await yieldIfDue();
  }
  const entry = prepared("DELETE FROM blocked_videos WHERE id = ? AND removed_at <= ?");
  await transaction(() => entry.run(id, removedBefore));
  await yieldIfDue();
}

const listener = processState("hashing of blocked videos", () => ({
  work: undefined as (() => void) | undefined,
}));

/** Starts hashing a new entry in the background once the transaction has ended. */
function notifyHashing(): void {
  setImmediate(() => listener().work?.());
}

export function onHashingNeeded(work: () => void): void {
  listener().work = work;
}
