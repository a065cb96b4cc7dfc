import { createHash } from "node:crypto";
import path from "node:path";
import { settings } from "~/server/settings.server";
import type { MediaName } from "./bucket.server";

/**
 * The folder where the files of deleted videos wait. Beside the buckets, on the same file system, so
 * that moving a file there costs nothing; nothing in it has an address.
 */
export const trashFolder = () => path.join(settings().uploadsDir, ".trash");

/** An id may be any text that another program wrote, so it is hashed into a file name. */
export const trashName = (videoId: string) => createHash("sha256").update(videoId).digest("hex");

/** The folder of a deleted video's files. */
export const trashOf = (videoId: string) => path.join(trashFolder(), trashName(videoId));

/** Where a file of a deleted video is. */
export const trashed = (videoId: string, file: MediaName) =>
  path.join(trashOf(videoId), file.bucket, file.path);
