import fs from "node:fs/promises";
import { type MediaName, mediaUrl, parseMediaUrl, removeMedia } from "~/media/bucket.server";
import { endPicture, notePicture } from "~/media/intake/interrupted-moves.server";
import { moveThumbnailIntoBucket } from "~/media/intake/move-into-bucket.server";
import type { ReceivedFile } from "~/media/intake/received-file.server";
import { encodeThumbnail } from "~/media/intake/thumbnail.server";
import { toUploadError } from "~/media/intake/upload-error.server";
import { forgetFiles, recordFile } from "~/media/media-files.server";
import { removeSmallVersions } from "~/media/serve/small-picture.server";
import { isShared } from "../trash/video-files.server";

/** A thumbnail that is stored in its bucket, but that no row references yet. */
export interface NewThumbnail {
  url: string;
  colors: string | undefined;
  /**
   * Notes, in the transaction that changes the row, that the previous one is about to be removed.
   *
   * @throws {UploadError} 507 when the disk is full.
   */
  replace(before: string | null): void;
  /** Records it as the video's, once the row references it, and removes the previous one. */
  commit(videoId: string, before: string | null): Promise<void>;
  /** Removes it again, where no row references it. */
  discard(): Promise<void>;
}

/**
 * Re-encodes a picture and stores it in its bucket.
 *
 * @throws {UploadError} 415 when it is no picture, 507 when the disk is full.
 */
export async function storeNewThumbnail(userId: string, file: ReceivedFile): Promise<NewThumbnail> {
  const { file: encoded, colors } = await encodeThumbnail(file.path);
  try {
    const name: MediaName = {
      bucket: "thumbnails",
      path: await moveThumbnailIntoBucket(userId, encoded),
    };
    const url = mediaUrl(name.bucket, name.path);
    const noted = [name.path];
    const end = async () => {
      for (const each of noted) await endPicture(each);
    };
    return {
      url,
      colors,
      replace(before) {
        const old = parseMediaUrl(before ?? "");
        if (old?.bucket !== "thumbnails") return;
        try {
          notePicture(old.path);
        } catch (error) {
          throw toUploadError(error);
        }
        noted.push(old.path);
      },
      async commit(videoId, before) {
        await recordFile({ ...name, videoId, kind: "thumbnail" });
        const old = parseMediaUrl(before ?? "");
        if (before && old && !(await isShared(old, new Set()))) {
          await removeMedia(before);
          await forgetFiles([old]);
          await removeSmallVersions(old, videoId);
        }
        await end();
      },
      async discard() {
        await removeMedia(url);
        await end();
      },
    };
  } finally {
    await fs.rm(encoded, { force: true });
  }
}
