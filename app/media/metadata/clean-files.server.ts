import { stat } from "node:fs/promises";
import { prepared, transaction } from "~db/client.server";
import { retryWhileBusy } from "~db/write-lock";
import { bucketFile, parseMediaUrl } from "../bucket.server";
import { storedFile } from "../files/stored-files.server";
import { recordFirstDigest } from "../files/video-digests.server";
import { digestOf } from "../intake/tus-store.server";
import { recordFile } from "../media-files.server";
import { removeMetadata } from "./remove-metadata.server";

/**
 * Which public files have no private metadata. The site records it of the files that it receives or encodes. A file
 * that another tool has put in place is marked in the studio until `npm run jobs -- --all` has cleaned it.
 */

const isUnclean = (column: string, bucket: "videos" | "thumbnails") => {
  const prefix = `/media/${bucket}/`;
  return `(substr(${column}, 1, ${prefix.length}) = '${prefix}' AND NOT EXISTS (
    SELECT 1 FROM media_files AS file
    WHERE file.bucket = '${bucket}' AND file.path = substr(${column}, ${prefix.length + 1}) AND file.clean = 1))`;
};
/** Conditions of a query that has the columns of a video. */
export const HAS_UNCLEAN_VIDEO = isUnclean("video_url", "videos");
export const HAS_UNCLEAN_THUMBNAIL = isUnclean("thumbnail_url", "thumbnails");

/** Returns whether a file is recorded as clean. */
export function isCleanFile(url: string): boolean {
  const name = parseMediaUrl(url);
  const found =
    name &&
    prepared("SELECT 1 FROM media_files WHERE bucket = ? AND path = ? AND clean = 1").get(
      name.bucket,
      name.path,
    );
  return found !== undefined;
}

/**
 * Removes the private metadata of a video's file in place, after its digest has been recorded: block lists have
 * digests of files as they came.
 *
 * @returns whether it has none now. If not, it is unchanged, and a copy of its video and audio is needed.
 */
export async function cleanVideoFile(videoId: string, url: string): Promise<boolean> {
  if (isCleanFile(url)) return true;
  const name = parseMediaUrl(url);
  const file = name && bucketFile(name.bucket, name.path);
  // What the disk has of a file in the store is a copy of it.
  if (!file || storedFile(name)) return false;
  if (!(await removeMetadata({ file, isShared: true }))) {
    if ((await stat(file)).nlink > 1) return false;
    const sha256 = await digestOf(file);
    await retryWhileBusy(() => transaction(() => recordFirstDigest(videoId, sha256)));
    if (!(await removeMetadata({ file, isInUse: true }))) return false;
  }
  await retryWhileBusy(() => recordFile({ ...name, videoId, kind: "video", isClean: true }));
  return true;
}
