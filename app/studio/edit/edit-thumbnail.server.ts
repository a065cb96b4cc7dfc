import fs from "node:fs/promises";
import { type MediaName, mediaUrl, parseMediaUrl } from "~/media/bucket.server";
import { enqueueRemovals, removeSoon, removeUnreferenced } from "~/media/files/removals.server";
import { endPicture } from "~/media/intake/interrupted-moves.server";
import { moveThumbnailIntoBucket } from "~/media/intake/move-into-bucket.server";
import type { ReceivedFile } from "~/media/intake/received-file.server";
import { encodeThumbnail } from "~/media/intake/thumbnail.server";
import { recordFile } from "~/media/media-files.server";
import { removeSmallVersions } from "~/media/serve/small-picture.server";

/** A thumbnail that is stored in its bucket, but that no row references yet. */
export interface NewThumbnail {
  url: string;
  colors: string | undefined;
  /** Enqueues the removal of the previous one, in the transaction that changes the row. */
  replace(before: string | null): void;
  /** Records it as the video's, once the row references it. */
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
    return {
      url,
      colors,
      replace(before) {
        const old = parseMediaUrl(before ?? "");
        if (old) enqueueRemovals([old], { reason: "replaced" });
      },
      async commit(videoId, before) {
        await recordFile({ ...name, videoId, kind: "thumbnail" });
        await endPicture(name.path);
        removeSoon();
        const old = parseMediaUrl(before ?? "");
        if (old) await removeSmallVersions(old, videoId);
      },
      async discard() {
        await removeUnreferenced([name], "discarded");
        await endPicture(name.path);
      },
    };
  } finally {
    await fs.rm(encoded, { force: true });
  }
}
