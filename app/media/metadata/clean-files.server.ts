import { stat } from "node:fs/promises";
import { prepared, transaction } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import { retryWhileBusy } from "~db/write-lock";
import { bucketFile, parseMediaUrl } from "../bucket.server";
import { storedFile } from "../files/stored-files.server";
import { digestOf } from "../intake/tus-store.server";
import { recordFile } from "../media-files.server";
import type { MetadataResult, MetadataTask } from "./rewrite.server";

/**
 * Keeps track of which public files don't contain any private metadata. The site records this for files that it
 * receives or encodes. A file placed by another tool is marked in the studio until `npm run jobs -- --all` has cleaned
 * it.
 */

const isUnclean = (column: string, bucket: "videos" | "thumbnails") => {
  const prefix = `/media/${bucket}/`;
  return `(substr(${column}, 1, ${prefix.length}) = '${prefix}' AND NOT EXISTS (
    SELECT 1 FROM media_files AS file
    WHERE file.bucket = '${bucket}' AND file.path = substr(${column}, ${prefix.length + 1}) AND file.clean = 1))`;
};
/** SQL conditions for queries that select a video's columns. */
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
 * Removes the private metadata from a video's file in place. Its digest is recorded first, because block lists contain
 * digests of unmodified files.
 *
 * @returns true if the file no longer has private metadata; false if it is unchanged and has to be remuxed instead.
 */
export async function cleanVideoFile(videoId: string, url: string): Promise<boolean> {
  if (isCleanFile(url)) return true;
  const name = parseMediaUrl(url);
  const file = name && bucketFile(name.bucket, name.path);
  // If the file is in the store, the disk has only a copy of it.
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

/**
 * Removes, in place, the metadata that reveals where, when, by whom and with which device a received file was recorded.
 * Runs in a worker thread. Compute the digests of the received bytes before calling this.
 *
 * @returns true if the file may now be published; false if it is unchanged and only a remuxed copy of its video and
 *   audio may be published.
 * @throws if the file could not be read or written. In that case, the file is unchanged.
 */
export async function removeMetadata(task: MetadataTask): Promise<boolean> {
  const answer = await queryThread<MetadataResult>("files", "remove-metadata", task);
  if ("failed" in answer) throw new Error(answer.failed);
  return answer.done !== "copy";
}

/**
 * Records the SHA-256 of a video's file as it was received, in hexadecimal, as part of a transaction. It is used to
 * recognize duplicates and blocked files.
 */
export function recordDigest(videoId: string, sha256: string): void {
  prepared(
    `INSERT INTO video_digests (video_id, sha256) VALUES (@videoId, @sha256)
     ON CONFLICT (video_id) DO UPDATE SET sha256 = excluded.sha256`,
  ).run({ videoId, sha256 });
}

/**
 * Records the digest of a video that doesn't have one because another tool inserted the video, as part of a
 * transaction. Ignores other rows.
 */
function recordFirstDigest(videoId: string, sha256: string): void {
  prepared(
    `INSERT OR IGNORE INTO video_digests (video_id, sha256)
     SELECT id, @sha256 FROM videos WHERE id = @videoId`,
  ).run({ videoId, sha256 });
}
