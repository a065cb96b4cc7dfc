import fs from "node:fs/promises";
import path from "node:path";
import { settings } from "~/server/settings.server";
import { asRefusal } from "./upload-error.server";

/** What has come from `uploads/tmp` into the buckets, under one stamp. */
export interface Placed {
  /** Milliseconds since 1970, unique for the user: `{userId}/{stamp}` names the video's files. */
  stamp: number;
  /** Paths inside their buckets. */
  videoPath: string;
  thumbnailPath?: string;
  /** Lets go of the stamp, and of the arrived files, once a row names the new ones. */
  settle(): Promise<void>;
  /** Takes the new files away again, when no row could be made; what arrived is still there. */
  undo(): Promise<void>;
}

/** Codes of file systems that know no hard links, or of a bucket on another disk than `tmp`. */
const NO_LINKS = new Set(["EPERM", "EXDEV", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"]);

let lastStamp = 0;

/**
 * Brings an arrived video, and its thumbnail, to `{userId}/{stamp}.{ending}`. Everything is on the
 * disk when it returns, so that a row written afterwards never names a missing file.
 *
 * @throws {UploadRefused} 507 when the disk is full; nothing is left then.
 */
export async function placeUpload(
  userId: string,
  video: { file: string; ending: string },
  thumbnail?: string,
): Promise<Placed> {
  const stamp = await reserveStamp(userId);
  const videoPath = `${userId}/${stamp}.${video.ending}`;
  const thumbnailPath = thumbnail && `${userId}/${stamp}.webp`;
  const settle = async () => {
    await fs.rm(video.file, { force: true });
    if (thumbnail) await fs.rm(thumbnail, { force: true });
    await letGo(userId, stamp);
  };
  const undo = async () => {
    await fs.rm(inBucket("videos", videoPath), { force: true });
    if (thumbnailPath) await fs.rm(inBucket("thumbnails", thumbnailPath), { force: true });
    await letGo(userId, stamp);
  };
  try {
    await place(video.file, inBucket("videos", videoPath));
    if (thumbnail && thumbnailPath) await place(thumbnail, inBucket("thumbnails", thumbnailPath));
  } catch (error) {
    await undo();
    throw asRefusal(error);
  }
  return { stamp, videoPath, ...(thumbnailPath && { thumbnailPath }), settle, undo };
}

/**
 * Moves a thumbnail alone into its bucket, under a stamp of its own.
 *
 * @returns its path inside the bucket.
 */
export async function placeThumbnail(userId: string, thumbnail: string): Promise<string> {
  const stamp = await reserveStamp(userId);
  const thumbnailPath = `${userId}/${stamp}.webp`;
  try {
    await place(thumbnail, inBucket("thumbnails", thumbnailPath));
    await fs.rm(thumbnail, { force: true });
  } catch (error) {
    throw asRefusal(error);
  } finally {
    await letGo(userId, stamp);
  }
  return thumbnailPath;
}

/**
 * A stamp that nobody else has. Two uploads of one millisecond get two: in this process by counting
 * on, beside another one (an import) because only one of them can make the folder.
 */
export async function reserveStamp(userId: string): Promise<number> {
  for (;;) {
    lastStamp = Math.max(Date.now(), lastStamp + 1);
    const stamp = lastStamp;
    try {
      await fs.mkdir(inBucket("videos", `${userId}/${stamp}`));
      return stamp;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") await fs.mkdir(inBucket("videos", userId), { recursive: true });
      else if (code !== "EEXIST") throw asRefusal(error);
    }
  }
}

/** Stamps of a second that lies in the past. */
export interface ReservedSecond {
  /** The 1,000 stamps from this one on are for whoever reserved it. */
  first: number;
  free(): Promise<void>;
}

export const STAMPS_OF_A_SECOND = 1_000;

/** `{userId}/{stamp}` of the folder by which the second of a stamp is reserved. */
export function secondOf(stem: string): string {
  return stem.replace(/\d{3}$/, "000");
}

/**
 * A thousand stamps by one folder instead of a thousand: those of the last second of which the user
 * has nothing. An upload takes no stamp of the past, and of two imports only one can make the folder.
 */
export async function reserveSecond(userId: string): Promise<ReservedSecond> {
  const folder = inBucket("videos", userId);
  const thumbnails = inBucket("thumbnails", userId);
  await fs.mkdir(folder, { recursive: true });
  for (let second = Math.floor(Date.now() / STAMPS_OF_A_SECOND) - 1; ; second--) {
    const first = second * STAMPS_OF_A_SECOND;
    try {
      await fs.mkdir(path.join(folder, `${first}`));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue;
      throw asRefusal(error);
    }
    // Looked at after the folder is there: whatever else is of this second was there before it.
    const free = () => letGo(userId, first);
    // A thumbnail may have a stamp of its own.
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

/** The folder may already hold what is made from the video; then it stays. */
export async function letGo(userId: string, stamp: number | string): Promise<void> {
  await fs.rmdir(inBucket("videos", `${userId}/${stamp}`)).catch(() => {});
}

async function place(from: string, to: string): Promise<void> {
  await fs.mkdir(path.dirname(to), { recursive: true });
  await flush(from);
  try {
    // Not rename, which would replace what stands there.
    await fs.link(from, to);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    try {
      await fs.copyFile(from, to, fs.constants.COPYFILE_EXCL);
      await flush(to);
    } catch (copyError) {
      if ((copyError as NodeJS.ErrnoException).code !== "EEXIST") await fs.rm(to, { force: true });
      throw copyError;
    }
  }
  await flush(path.dirname(to));
}

async function flush(file: string): Promise<void> {
  const handle = await fs.open(file, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function inBucket(bucket: "videos" | "thumbnails", pathInBucket: string): string {
  return path.join(settings().uploadsDir, bucket, pathInBucket);
}
