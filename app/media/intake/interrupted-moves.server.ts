import { mkdirSync, writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { settings } from "~/server/settings.server";
import { prepared } from "~db/client.server";
import { type Bucket, mediaBasePath, mediaUrl } from "../bucket.server";
import { forgetFiles } from "../media-files.server";
import { removalsPausedBy } from "../removal-guard.server";
import { removeSmallVersions } from "../serve/small-picture.server";
import { temporaryFolder } from "./disk-space.server";

/** An empty file `moving {userId} {uploadId}.{ending}` in `uploads/tmp`, for as long as files have no row. */
const MOVING = "moving ";
/** An empty file `picture {userId}%2F{uploadId}.{ending}` there, for as long as a thumbnail may have no row. */
const PICTURE = "picture ";

/** Whether a name in `uploads/tmp` notes what is done when the next start finds it. */
export function isNote(name: string): boolean {
  return name.startsWith(MOVING) || name.startsWith(PICTURE);
}

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

/** As the site itself names thumbnails. */
const OWN_NAME = /^[\w-]+\/\d+\.\w+$/;
const pictureNote = (name: string) =>
  path.join(temporaryFolder(), PICTURE + encodeURIComponent(name));

/**
 * Notes that a thumbnail is about to get its row, or to lose it. In one step, since the latter is noted within the
 * transaction that changes the row.
 *
 * @param name inside of the bucket. Another program's name is not noted: such a file may stay.
 */
export function notePicture(name: string): void {
  if (!OWN_NAME.test(name)) return;
  mkdirSync(temporaryFolder(), { recursive: true });
  writeFileSync(pictureNote(name), "");
}

/** Its row names it, or it is removed. */
export async function endPicture(name: string): Promise<void> {
  if (OWN_NAME.test(name)) await fs.rm(pictureNote(name), { force: true });
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
  // Their rows may be in another database, or in a newer copy of this one.
  if (await removalsPausedBy()) return removed;
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
  for (const left of names.filter((name) => name.startsWith(PICTURE))) {
    const name = decodeURIComponent(left.slice(PICTURE.length));
    if (!isShown(name)) {
      if (await remove("thumbnails", name)) removed.push(`thumbnails/${name}`);
      await forgetFiles([{ bucket: "thumbnails", path: name }]);
      await removeSmallVersions({ bucket: "thumbnails", path: name });
    }
    await endPicture(name);
  }
  return removed;
}

/** Whether a video, or one in the trash, has the thumbnail, or one with the same smaller versions. */
function isShown(name: string): boolean {
  const basePath = mediaUrl("thumbnails", mediaBasePath(name));
  const url = mediaUrl("thumbnails", name);
  const shown = `
    SELECT 1 FROM videos WHERE thumbnail_url >= @basePath || '.' AND thumbnail_url < @basePath || '0'
    UNION ALL SELECT 1 FROM deleted_videos WHERE row ->> 'thumbnail_url' = @url`;
  return prepared(shown).get({ basePath, url }) !== undefined;
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
