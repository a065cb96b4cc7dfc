import { createHash } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { bucketFile, type MediaName } from "~/media/bucket.server";
import { diskUsage, forgetFiles, recordFile } from "~/media/media-files.server";
import { settings } from "~/server/settings.server";
import { move } from "~/shared/move-files.server";
import { database } from "~db/client.server";

/** How long a deleted video can be brought back. */
export const UNDO_WITHIN_MS = 10 * 60 * 1000;
const EMPTY_EVERY_MS = 60_000;

/**
 * The folder where the files of deleted videos wait. Beside the buckets, on the same file system, so
 * that moving a file there costs nothing; nothing in it has an address.
 */
const trashFolder = () => path.join(settings().uploadsDir, ".trash");
/** An id may be any text that another program wrote, so it is hashed into a file name. */
const folderName = (videoId: string) => createHash("sha256").update(videoId).digest("hex");
const folderOf = (videoId: string) => path.join(trashFolder(), folderName(videoId));
const trashed = (videoId: string, file: MediaName) =>
  path.join(folderOf(videoId), file.bucket, file.path);

/** Moves files out of the buckets. One that can't be moved is logged, and stays. */
export async function moveToTrash(videoId: string, files: readonly MediaName[]): Promise<void> {
  for (const file of files) {
    await logFailure(`move ${file.bucket}/${file.path} to the trash`, async () => {
      const from = bucketFile(file.bucket, file.path);
      if (from && (await moveIfThere(from, trashed(videoId, file)))) await forgetFiles([file]);
    });
  }
}

/** Moves the files of a video back to their buckets. */
export async function restoreFromTrash(
  videoId: string,
  files: readonly MediaName[],
): Promise<void> {
  for (const file of files) {
    await logFailure(`restore ${file.bucket}/${file.path}`, async () => {
      const to = bucketFile(file.bucket, file.path);
      if (!to || !(await moveIfThere(trashed(videoId, file), to))) return;
      const kind = path.extname(file.path) === "" ? "derived" : kindOf(file);
      await recordFile({ ...file, videoId, kind, bytes: await diskUsage(to) });
    });
  }
  await fs.rm(folderOf(videoId), { recursive: true, force: true });
}

/** Moves the files of deletions that a crash interrupted between the row and the files. */
export async function finishDeletions(): Promise<void> {
  const deleted = await database().selectFrom("deleted_videos").select(["id", "files"]).execute();
  for (const { id, files } of deleted) await moveToTrash(id, JSON.parse(files) as MediaName[]);
}

/**
 * Deletes permanently what was deleted more than 10 minutes ago, and files in the trash without a
 * row from which they could be restored.
 */
export async function emptyTrash(now = Date.now()): Promise<void> {
  const before = new Date(now - UNDO_WITHIN_MS).toISOString();
  const expired = database()
    .selectFrom("deleted_videos")
    .select("id")
    .where("deleted_at", "<=", before);
  await database().deleteFrom("view_days").where("video_id", "in", expired).execute();
  await database().deleteFrom("video_digests").where("video_id", "in", expired).execute();
  await database().deleteFrom("deleted_videos").where("deleted_at", "<=", before).execute();
  const kept = await database().selectFrom("deleted_videos").select("id").execute();
  const names = new Set(kept.map(({ id }) => folderName(id)));
  for (const name of await namesIn(trashFolder())) {
    if (!names.has(name)) await removeForGood(path.join(trashFolder(), name));
  }
}

/** Finishes the deletions of the last process, then empties the trash every minute. */
export function scheduleTrashCleanup(): void {
  const work = () => logFailure("empty the trash", () => emptyTrash());
  void logFailure("finish deletions", finishDeletions).then(work);
  setInterval(work, EMPTY_EVERY_MS).unref();
}

function kindOf(file: MediaName) {
  return file.bucket === "videos" ? "video" : "thumbnail";
}

/** Moves a file or folder; false when it is not there. */
async function moveIfThere(from: string, to: string): Promise<boolean> {
  try {
    await move(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

async function removeForGood(file: string): Promise<void> {
  await logFailure(`remove ${file}`, () => fs.rm(file, { recursive: true, force: true }));
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
