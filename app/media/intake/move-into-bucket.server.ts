import fs from "node:fs/promises";
import path from "node:path";
import { settings } from "~/platform/settings.server";
import { flushOne, needsCopy } from "~/shared/move-files.server";
import { processState } from "~db/runtime.server";
import { type MediaName, mediaBasePath } from "../bucket.server";
import { announceFiles, removeUnreferenced, withdrawAnnouncement } from "../files/removals.server";
import { removeTemporary } from "../files/temporary-files.server";
import { toUploadError } from "./upload-error.server";

/** An upload's files after they have been moved from `uploads/tmp` into the buckets. */
export interface MovedUpload {
  /**
   * A timestamp in milliseconds since the epoch, unique per user. `{userId}/{uploadId}` is the base path of the video's
   * files.
   */
  uploadId: number;
  /** The files' paths within their buckets. */
  videoPath: string;
  thumbnailPath?: string;
  /** Releases the upload id and removes the temporary files. Call it after writing the row. */
  commit(): Promise<void>;
  /** Removes the moved files if the row couldn't be written. Keeps the temporary files. */
  rollBack(): Promise<void>;
}

const uploads = processState("upload ids", () => ({ lastId: 0 }));

/**
 * Moves a received video and its thumbnail to `{userId}/{uploadId}.{extension}`. Flushes the files to the disk before
 * it returns, so that a row written afterwards never refers to a missing file.
 *
 * @throws {UploadError} 507 if the disk is full. In that case, no files are left behind.
 */
export async function moveIntoBucket(
  userId: string,
  video: { file: string; extension: string },
  thumbnail?: string,
): Promise<MovedUpload> {
  const uploadId = await reserveUploadId(userId);
  const name = `${uploadId}.${video.extension}`;
  const videoPath = `${userId}/${name}`;
  const thumbnailPath = thumbnail && `${userId}/${uploadId}.webp`;
  const files: MediaName[] = [
    { bucket: "videos", path: videoPath },
    // The folder that reserves the upload id.
    { bucket: "videos", path: mediaBasePath(videoPath) },
    ...(thumbnailPath ? [{ bucket: "thumbnails" as const, path: thumbnailPath }] : []),
  ];
  const commit = async () => {
    await withdrawAnnouncement(files);
    await removeTemporary(video.file, thumbnail);
    await releaseUploadId(userId, uploadId);
  };
  const rollBack = async () => {
    await releaseUploadId(userId, uploadId);
    await removeUnreferenced(files, "discarded");
  };
  try {
    await announceFiles(files);
    await linkOrCopyFlushed(video.file, inBucket("videos", videoPath));
    if (thumbnail && thumbnailPath)
      await linkOrCopyFlushed(thumbnail, inBucket("thumbnails", thumbnailPath));
  } catch (error) {
    await rollBack();
    throw toUploadError(error);
  }
  return {
    uploadId,
    videoPath,
    ...(thumbnailPath && { thumbnailPath }),
    commit,
    rollBack,
  };
}

/**
 * Moves a thumbnail without a video into its bucket, under its own upload id. It is removed after a day unless a row
 * refers to it.
 *
 * @returns its path within the bucket.
 */
export async function moveThumbnailIntoBucket(userId: string, thumbnail: string): Promise<string> {
  const uploadId = await reserveUploadId(userId);
  const thumbnailPath = `${userId}/${uploadId}.webp`;
  const file: MediaName = { bucket: "thumbnails", path: thumbnailPath };
  try {
    await announceFiles([file]);
    await linkOrCopyFlushed(thumbnail, inBucket("thumbnails", thumbnailPath));
    await removeTemporary(thumbnail);
  } catch (error) {
    await removeUnreferenced([file], "discarded");
    throw toUploadError(error);
  } finally {
    await releaseUploadId(userId, uploadId);
  }
  return thumbnailPath;
}

/**
 * Reserves an upload id. Two uploads in the same millisecond get different ids. This process increments its ids. If
 * another process, such as an import, uses the same id, only one of the two can create the id's folder.
 */
export async function reserveUploadId(userId: string): Promise<number> {
  for (;;) {
    const uploadId = Math.max(Date.now(), uploads().lastId + 1);
    uploads().lastId = uploadId;
    try {
      await fs.mkdir(inBucket("videos", `${userId}/${uploadId}`));
      return uploadId;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") await fs.mkdir(inBucket("videos", userId), { recursive: true });
      else if (code !== "EEXIST") throw toUploadError(error);
    }
  }
}

/** The reserved upload ids of one second in the past. */
export interface ReservedSecond {
  /** The first of 1,000 consecutive upload ids. */
  first: number;
  free(): Promise<void>;
}

export const UPLOAD_IDS_PER_SECOND = 1_000;

/** Returns the `{userId}/{uploadId}` of the folder that reserves the second of an upload id. */
export function secondOf(basePath: string): string {
  return basePath.replace(/\d{3}$/, "000");
}

/**
 * Reserves a thousand upload ids by creating a single folder. They are the ids of the latest second in which the user
 * has no files. Uploads never use ids from the past, and only one import can create a given folder.
 */
export async function reserveSecond(userId: string): Promise<ReservedSecond> {
  const folder = inBucket("videos", userId);
  const thumbnails = inBucket("thumbnails", userId);
  await fs.mkdir(folder, { recursive: true });
  for (let second = Math.floor(Date.now() / UPLOAD_IDS_PER_SECOND) - 1; ; second--) {
    const first = second * UPLOAD_IDS_PER_SECOND;
    try {
      await fs.mkdir(path.join(folder, `${first}`));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue;
      throw toUploadError(error);
    }
    // The folder is created before the lists below are read, so they include every other file from this second.
    const free = () => releaseUploadId(userId, first);
    // A thumbnail may have its own upload id.
    const others = [
      ...(await fs.readdir(folder)),
      ...(await fs.readdir(thumbnails).catch(() => [])),
    ];
    if (!others.some((name) => name !== `${first}` && name.startsWith(`${second}`))) {
      return { first, free };
    }
    await free();
  }
}

/** Removes the folder that reserves an upload id, unless it contains derived files. */
export async function releaseUploadId(userId: string, uploadId: number | string): Promise<void> {
  await fs.rmdir(inBucket("videos", `${userId}/${uploadId}`)).catch(() => {});
}

async function linkOrCopyFlushed(from: string, to: string): Promise<void> {
  await fs.mkdir(path.dirname(to), { recursive: true });
  await flushOne(from);
  try {
    // Don't use `rename`, which would replace an existing file.
    await fs.link(from, to);
  } catch (error) {
    if (!needsCopy((error as NodeJS.ErrnoException).code)) throw error;
    await fs.copyFile(from, to, fs.constants.COPYFILE_EXCL);
    await flushOne(to);
  }
  await flushOne(path.dirname(to));
}

function inBucket(bucket: "videos" | "thumbnails", pathInBucket: string): string {
  return path.join(settings().uploadsDir, bucket, pathInBucket);
}
