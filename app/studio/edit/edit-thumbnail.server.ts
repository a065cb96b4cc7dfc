import fs from "node:fs/promises";
import { type MediaName, mediaUrl, parseMediaUrl, removeMedia } from "~/media/bucket.server";
import { moveThumbnailIntoBucket } from "~/media/intake/move-into-bucket.server";
import type { ReceivedFile } from "~/media/intake/received-file.server";
import { encodeThumbnail } from "~/media/intake/thumbnail.server";
import { forgetFiles, recordFile } from "~/media/media-files.server";
import { removeSmallVersion } from "~/media/serve/small-picture.server";
import { isShared } from "../trash/video-files.server";

/** A thumbnail that stands in its bucket and belongs to nobody yet. */
export interface NewThumbnail {
  url: string;
  colors: string | undefined;
  /** Makes it the video's, once the row says so; the one before is removed. */
  keep(videoId: string, before: string | null): Promise<void>;
  /** Takes it away again. */
  drop(): Promise<void>;
}

/**
 * Re-encodes a picture and puts it into its bucket.
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
      async keep(videoId, before) {
        await recordFile({ ...name, videoId, kind: "thumbnail" });
        const old = parseMediaUrl(before ?? "");
        if (!before || !old || (await isShared(old, new Set()))) return;
        await removeMedia(before);
        await forgetFiles([old]);
        await removeSmallVersion(old, videoId);
      },
      drop: () => removeMedia(url),
    };
  } finally {
    await fs.rm(encoded, { force: true });
  }
}
