import fs from "node:fs/promises";
import { type MediaName, mediaUrl, parseMediaUrl, removeMedia } from "~/media/bucket.server";
import { moveThumbnailIntoBucket } from "~/media/intake/move-into-bucket.server";
import type { ReceivedFile } from "~/media/intake/received-file.server";
import { encodeThumbnail } from "~/media/intake/thumbnail.server";
import { forgetFiles, recordFile } from "~/media/media-files.server";
import { removeSmallVersions } from "~/media/serve/small-picture.server";
import { isShared } from "../trash/video-files.server";

/** A thumbnail that is stored in its bucket, but that no row references yet. */
export interface NewThumbnail {
  url: string;
  colors: string | undefined;
  /** Records it as the video's, once the row references it, and removes the previous one. */
  commit(videoId: string, before: string | null): Promise<void>;
  /** Removes it again. */
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
    return {
      url,
      colors,
      async commit(videoId, before) {
        await recordFile({ ...name, videoId, kind: "thumbnail" });
        const old = parseMediaUrl(before ?? "");
        if (!before || !old || (await isShared(old, new Set()))) return;
        await removeMedia(before);
        await forgetFiles([old]);
        await removeSmallVersions(old, videoId);
      },
      discard: () => removeMedia(url),
    };
  } finally {
    await fs.rm(encoded, { force: true });
  }
}
