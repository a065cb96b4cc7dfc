import fs from "node:fs/promises";
import path from "node:path";
import { database } from "~db/client.server";
import type { MediaKind } from "~db/schema";
import { bucketFile, type MediaName } from "./bucket.server";

/**
 * What stands in the buckets and what it takes, so that the studio never walks the disk to say how
 * much is used. Triggers add it up: `storage.bytes` for all, `videos.bytes` for each video.
 */

/** A file, or a folder of derived files, which then counts as one. */
export interface MediaFile extends MediaName {
  /** Null while no video claims the file. The row of the video may follow later. */
  videoId: string | null;
  kind: MediaKind;
  /** Measured on the disk when left out. */
  bytes?: number;
}

/**
 * Notes a file, or what it has become: whoever puts one into a bucket calls it afterwards.
 *
 * @param db the transaction that it is a part of.
 */
export async function recordFile(file: MediaFile, db = database()): Promise<void> {
  const bytes = file.bytes ?? (await diskUsage(bucketFile(file.bucket, file.path) ?? ""));
  await db
    .insertInto("media_files")
    .values({
      bucket: file.bucket,
      path: file.path,
      video_id: file.videoId,
      kind: file.kind,
      bytes,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["bucket", "path"])
        .doUpdateSet({ video_id: file.videoId, kind: file.kind, bytes }),
    )
    .execute();
}

/** Forgets files that have left the buckets, and whatever stood below a folder among them. */
export async function forgetFiles(files: readonly MediaName[]): Promise<void> {
  for (const file of files) {
    await database()
      .deleteFrom("media_files")
      .where("bucket", "=", file.bucket)
      .where((e) =>
        // "0" is what follows "/", so the range is everything below the folder.
        e.or([
          e("path", "=", file.path),
          e.and([e("path", ">", `${file.path}/`), e("path", "<", `${file.path}0`)]),
        ]),
      )
      .execute();
  }
}

/** Bytes of a file, or of everything below a folder; 0 for what is not there. */
export async function diskUsage(file: string): Promise<number> {
  try {
    const stat = await fs.lstat(file);
    if (!stat.isDirectory()) return stat.size;
    let bytes = 0;
    for (const name of await fs.readdir(file)) bytes += await diskUsage(path.join(file, name));
    return bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}
