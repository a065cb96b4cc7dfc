import fs from "node:fs/promises";
import path from "node:path";
import { settings } from "~/server/settings.server";
import { prepared } from "~db/client.server";
import type { Bucket } from "../bucket.server";
import { temporaryFolder } from "./disk-space.server";

/** An empty file `moving {userId} {uploadId}.{ending}` in `uploads/tmp`, for as long as files have no row. */
export const MOVING = "moving ";

const marker = (userId: string, name: string) =>
  path.join(temporaryFolder(), `${MOVING}${userId} ${name}`);

/** Notes, before the first file is moved, that these files of an upload belong to no row yet. */
export async function beginMove(userId: string, name: string): Promise<void> {
  await fs.mkdir(temporaryFolder(), { recursive: true });
  await fs.writeFile(marker(userId, name), "");
}

/** There is a row that names them, or they are gone again. */
export async function endMove(userId: string, name: string): Promise<void> {
  await fs.rm(marker(userId, name), { force: true });
}

/**
 * Removes what uploads had moved into the buckets when their process was killed before it wrote a row: nobody
 * would see it, and it would take room for good. What they had received is in `uploads/tmp` still. Only the
 * server calls it, before it listens and once the one before has ended.
 *
 * @returns the paths of what was removed, each with its bucket.
 */
export async function undoInterruptedMoves(): Promise<string[]> {
  const removed: string[] = [];
  const names = await fs.readdir(temporaryFolder()).catch(() => []);
  for (const left of names.filter((name) => name.startsWith(MOVING))) {
    const [userId = "", name = ""] = left.slice(MOVING.length).split(" ");
    const uploadId = path.parse(name).name;
    const files: [Bucket, string][] = [
      ["videos", `${userId}/${name}`],
      ["thumbnails", `${userId}/${uploadId}.webp`],
    ];
    for (const [bucket, file] of files) {
      if (!belongsToVideo(bucket, file) && (await remove(bucket, file))) {
        removed.push(`${bucket}/${file}`);
      }
    }
    // Reserves the upload id; what was made of the video is in it, if there is one.
    await fs.rmdir(inBucket("videos", `${userId}/${uploadId}`)).catch(() => {});
    await endMove(userId, name);
  }
  return removed;
}

/** Rows are written together with the records of their files. */
function belongsToVideo(bucket: Bucket, file: string): boolean {
  const record = "SELECT 1 FROM media_files WHERE bucket = ? AND path = ? AND video_id IS NOT NULL";
  return prepared(record).get(bucket, file) !== undefined;
}

async function remove(bucket: Bucket, file: string): Promise<boolean> {
  try {
    await fs.rm(inBucket(bucket, file));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

const inBucket = (bucket: Bucket, file: string) => path.join(settings().uploadsDir, bucket, file);
