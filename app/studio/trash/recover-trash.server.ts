import fs from "node:fs/promises";
import path from "node:path";
import { BUCKETS, bucketFile, type MediaName } from "~/media/bucket.server";
import { diskUsage, recordFile } from "~/media/media-files.server";
import { trashFolder, trashName, trashOf } from "~/media/trash-files.server";
import { eventLoopTurns } from "~/shared/event-loop";
import { move } from "~/shared/move-files.server";
import { prepared } from "~db/client.server";
import { inTurn } from "./trash-turns.server";

/** Folders of the trash that no deletion in the database accounts for. */
export interface UnlistedTrash {
  /** The ids of live videos whose files were returned to the buckets. */
  recovered: string[];
  /** Names of folders that belong to no video of this database. They are left alone. */
  unknown: string[];
}

/**
 * Returns files in the trash to videos that aren't deleted. That happens when a copy of the database is
 * restored that is older than the deletion. Removes nothing.
 */
export async function recoverTrash(): Promise<UnlistedTrash> {
  const unlisted = await unlistedFolders();
  const recovered: string[] = [];
  if (unlisted.size === 0) return { recovered, unknown: [] };
  const turn = eventLoopTurns();
  const after = prepared("SELECT id FROM videos WHERE id > ? ORDER BY id LIMIT 100").pluck();
  let ids = after.all("") as string[];
  while (ids.length > 0) {
    for (const id of ids) {
      if (!unlisted.delete(trashName(id))) continue;
      await inTurn(async () => {
        // It may have been deleted while others had their turn.
        if (!isLive(id)) return;
        await returnToBuckets(id);
        recovered.push(id);
      });
    }
    await turn();
    ids = after.all(ids.at(-1)) as string[];
  }
  return { recovered, unknown: [...unlisted] };
}

/** The names of folders in the trash without a row in `deleted_videos`. */
export async function unlistedFolders(): Promise<Set<string>> {
  // Before the rows: a deletion writes its row first.
  const names = await fs.readdir(trashFolder()).catch(() => []);
  const unlisted = new Set(names.filter((name) => !isPurged(name) && !name.startsWith(".")));
  const turn = eventLoopTurns();
  const after = prepared(
    "SELECT id FROM deleted_videos WHERE id > ? ORDER BY id LIMIT 100",
  ).pluck();
  let ids = after.all("") as string[];
  while (ids.length > 0) {
    for (const id of ids) unlisted.delete(trashName(id));
    await turn();
    ids = after.all(ids.at(-1)) as string[];
  }
  return unlisted;
}

/** Before the random part of the name of a folder whose video was deleted for good. */
export const PURGED = "purged-";

export function isPurged(name: string): boolean {
  return name.startsWith(PURGED);
}

/** Whether a video has a row, which any tool may have inserted. */
export function isLive(id: string): boolean {
  return prepared("SELECT 1 FROM videos WHERE id = ?").get(id) !== undefined;
}

/** Moves the trashed files of a live video to their places in the buckets, where these are empty. */
export async function returnToBuckets(videoId: string): Promise<void> {
  for (const bucket of BUCKETS) {
    const folder = path.join(trashOf(videoId), bucket);
    for (const user of await namesIn(folder)) {
      for (const name of await namesIn(path.join(folder, user))) {
        await returnEntry(
          { bucket, path: `${user}/${name}` },
          path.join(folder, user, name),
          videoId,
        );
      }
      await removeIfEmpty(path.join(folder, user));
    }
    await removeIfEmpty(folder);
  }
  await removeIfEmpty(trashOf(videoId));
}

async function returnEntry(entry: MediaName, from: string, videoId: string): Promise<void> {
  const to = bucketFile(entry.bucket, entry.path);
  if (!to || !(await moveMissing(from, to))) return;
  const isFolder = (await fs.lstat(to)).isDirectory();
  const kind = isFolder ? "derived" : entry.bucket === "videos" ? "video" : "thumbnail";
  await recordFile({ ...entry, videoId, kind, bytes: await diskUsage(to) });
}

/** Moves a file, or what is in a folder, without replacing anything. @returns whether something moved. */
async function moveMissing(from: string, to: string): Promise<boolean> {
  const there = await fs.lstat(to).catch(() => undefined);
  if (!there) {
    await move(from, to);
    return true;
  }
  if (!there.isDirectory() || !(await fs.lstat(from)).isDirectory()) return false;
  let isMoved = false;
  for (const name of await fs.readdir(from)) {
    if (await moveMissing(path.join(from, name), path.join(to, name))) isMoved = true;
  }
  await removeIfEmpty(from);
  return isMoved;
}

async function namesIn(folder: string): Promise<string[]> {
  return fs.readdir(folder).catch(() => []);
}

async function removeIfEmpty(folder: string): Promise<void> {
  await fs.rmdir(folder).catch(() => {});
}
