import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import type { Statement } from "better-sqlite3";
import { bucketFile, type MediaName } from "~/media/bucket.server";
import { diskUsage, forgetFiles, recordFile } from "~/media/media-files.server";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { removeStored } from "~/media/storage/remove.server";
import { trashed, trashFolder, trashOf } from "~/media/trash-files.server";
import { partsOf } from "~/shared/event-loop";
import { formatQuantity } from "~/shared/format";
import { move } from "~/shared/move-files.server";
import { prepared, writeTransaction } from "~db/client.server";
import { every } from "~db/runtime.server";
import {
  removeFiles,
  removeFilesOf,
  removeOrphanFiles,
  replacedUntil,
} from "../files/remove-files.server";
import { OWN_DELETED, type OwnVideos, ownDeletedValues } from "../own-videos";
import { isLive, isPurged, PURGED, recoverTrash, returnToBuckets } from "./recover-trash.server";
import { TRASH_DAYS } from "./trash-address";
import { inTurn } from "./trash-turns.server";
import { isShared } from "./video-files.server";

/** How long a deleted video can be restored. */
export const TRASH_MS = TRASH_DAYS * 24 * 60 * 60 * 1000;
const EMPTY_EVERY_MS = 60_000;
/** Deleted for good in one transaction; others have their turn between two. */
const VIDEOS_AT_ONCE = 100;

/** Moves files out of the buckets, unless a video uses them. One that can't be moved is logged, and stays. */
export async function moveToTrash(videoId: string, files: readonly MediaName[]): Promise<void> {
  for (const file of files) {
    await logFailure(`move ${file.bucket}/${file.path} to the trash`, async () => {
      // Another tool may have inserted a row that names the file since the deletion.
      if (await isShared(file, new Set())) return;
      const from = bucketFile(file.bucket, file.path);
      if (from && (await moveIfThere(from, trashed(videoId, file)))) await forgetFiles([file]);
    });
  }
}

/**
 * Moves the files of a video back to their buckets, all or none.
 *
 * @returns false when one of them can't be moved, which is logged.
 */
export async function restoreFromTrash(
  videoId: string,
  files: readonly MediaName[],
): Promise<boolean> {
  try {
    for (const file of files) {
      const to = bucketFile(file.bucket, file.path);
      if (!to || !(await moveIfThere(trashed(videoId, file), to))) continue;
      const kind = path.extname(file.path) === "" ? "derived" : kindOf(file);
      await recordFile({ ...file, videoId, kind, bytes: await diskUsage(to) });
    }
  } catch (error) {
    console.error(`Could not restore the files of ${videoId}:`, error);
    await moveToTrash(videoId, files);
    return false;
  }
  await removeForGood(trashOf(videoId));
  return true;
}

/** Moves the files of deletions and restorations that a crash interrupted; what waits goes first. */
export async function finishDeletions(): Promise<void> {
  const next = prepared(
    "SELECT id, files FROM deleted_videos WHERE id > ? ORDER BY id LIMIT 1",
  ) as Statement<[string], { id: string; files: string }>;
  let last: string | undefined = "";
  while (last !== undefined) {
    const after: string = last;
    last = await inTurn(async () => {
      const row = next.get(after);
      if (row) await moveToTrash(row.id, JSON.parse(row.files) as MediaName[]);
      return row?.id;
    });
  }
}

/** A video that was deleted for good. */
export interface Purged {
  id: string;
  title: string;
  bytes: number;
}

/**
 * Deletes videos of the trash for good, with their files, views, watched parts, digests and positions in series.
 *
 * @returns those that were still there, and when their files are gone from the disk, which takes longer.
 */
export async function purge(
  ids: readonly string[],
): Promise<{ purged: Purged[]; removed: Promise<void> }> {
  const purged: Purged[] = [];
  const folders: string[] = [];
  for (const some of partsOf(ids, VIDEOS_AT_ONCE)) {
    await inTurn(async () => {
      const rows = await writeTransaction(() => forgetRows(some));
      purged.push(...rows);
      // Out of the way of a video that gets the same id and is deleted again.
      for (const { id } of rows) {
        if (isLive(id)) await returnToBuckets(id);
        const folder = path.join(trashFolder(), PURGED + randomUUID());
        if (await moveIfThere(trashOf(id), folder)) folders.push(folder);
      }
    });
  }
  await removeFilesOf(purged.map(({ id }) => id));
  return { purged, removed: removeAll(folders) };
}

/** What is kept of a video while it can be restored. */
const TABLES = [
  "view_days",
  "watched_parts",
  "video_digests",
  "series_videos",
  "video_checks",
  "blocked_likenesses",
] as const;

function forgetRows(ids: readonly string[]): Purged[] {
  const rows = prepared(
    `DELETE FROM deleted_videos WHERE id IN (SELECT value FROM json_each(?))
     RETURNING id, title, bytes`,
  ).all(JSON.stringify(ids)) as Purged[];
  // Another program may have entered a video of the same id since.
  const gone = JSON.stringify(rows.map(({ id }) => id));
  for (const table of TABLES) {
    prepared(
      `DELETE FROM ${table} WHERE video_id IN (SELECT value FROM json_each(?)
         WHERE value NOT IN (SELECT id FROM videos))`,
    ).run(gone);
  }
  for (const side of ["first", "second"]) {
    prepared(
      `DELETE FROM similar_videos WHERE ${side} IN (SELECT value FROM json_each(?)
         WHERE value NOT IN (SELECT id FROM videos))`,
    ).run(gone);
  }
  return rows;
}

async function removeAll(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await removeForGood(folder);
}

/** The videos that were deleted until a moment, of one user's if they are given, the oldest first. */
export function trashedUntil(until: string, most: number, own?: OwnVideos): string[] {
  return prepared(
    `SELECT id FROM deleted_videos WHERE deleted_at <= @until AND ${own ? OWN_DELETED : "TRUE"}
     ORDER BY deleted_at LIMIT @most`,
  )
    .pluck()
    .all({ until, most, ...(own && ownDeletedValues(own)) }) as string[];
}

/**
 * Deletes for good what was deleted more than 30 days ago, and files that were replaced then. Does nothing
 * while removals are paused.
 */
export async function emptyTrash(now = Date.now()): Promise<void> {
  if (await removalsPausedBy()) return;
  const until = new Date(now - TRASH_MS).toISOString();
  await removeOrphanFiles();
  for (;;) {
    const ids = replacedUntil(until, VIDEOS_AT_ONCE);
    if (ids.length === 0) break;
    await removeFiles(ids, "earlier");
  }
  for (;;) {
    const ids = trashedUntil(until, VIDEOS_AT_ONCE);
    if (ids.length === 0) return;
    await (await purge(ids)).removed;
  }
}

/** Finishes what the last process began, then removes what is too old every minute. */
export function scheduleTrashCleanup(): void {
  const emptying = every(EMPTY_EVERY_MS, "empty the trash", () => emptyTrash());
  void logFailure("finish deletions", finishDeletions)
    .then(() => logFailure("check the trash", checkTrash))
    .then(emptying.run);
}

/** Reports files in the trash that the database doesn't list, and finishes interrupted purges. */
async function checkTrash(): Promise<void> {
  const { recovered, unknown } = await recoverTrash();
  if (recovered.length > 0) {
    console.warn(
      `Files of ${formatQuantity(recovered.length, "video")} were in the trash although the database doesn't list them as deleted. They are back in place.`,
    );
  }
  if (unknown.length > 0) {
    console.warn(
      `${trashFolder()} contains files of ${formatQuantity(unknown.length, "video")} that this database doesn't know. They are kept. If the database was replaced, a newer copy of it can restore them. Otherwise npm run check-library lists them.`,
    );
  }
  if (await removalsPausedBy()) return;
  const purged = (await namesIn(trashFolder())).filter(isPurged);
  await removeAll(purged.map((name) => path.join(trashFolder(), name)));
}

function kindOf(file: MediaName) {
  return file.bucket === "videos" ? "video" : "thumbnail";
}

/** Moves a file or folder; false when it is not there. */
async function moveIfThere(from: string, to: string): Promise<boolean> {
  // First, so that no folder is made for what is not there.
  if (!(await fs.lstat(from).catch(() => undefined))) return false;
  await move(from, to);
  return true;
}

async function removeForGood(file: string): Promise<void> {
  await logFailure(`remove ${file}`, () => removeStored(file));
}

async function namesIn(folder: string): Promise<string[]> {
  return fs.readdir(folder).catch(() => []);
}

/** Storage file removal errors are only logged (specification, section 8). */
async function logFailure(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(`Could not ${what}:`, error);
  }
}
