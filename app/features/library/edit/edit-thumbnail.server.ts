import { type MediaName, mediaUrl } from "~/media/bucket.server";
import {
  removeSoon,
  removeUnreferenced,
  withdrawAnnouncement,
} from "~/media/files/removals.server";
import { removeTemporary } from "~/media/files/temporary-files.server";
import { moveThumbnailIntoBucket } from "~/media/intake/move-into-bucket.server";
import type { ReceivedFile } from "~/media/intake/received-file.server";
import { encodeThumbnail } from "~/media/intake/thumbnail.server";
import { recordFile } from "~/media/media-files.server";
import { removeReplacedThumbnail } from "~/media/serve/small-picture.server";

/** A thumbnail that is stored in its bucket, but that no row references yet. */
export interface NewThumbnail {
  url: string;
  colors: string | undefined;
  /** Enqueues the removal of the previous one, in the transaction that changes the row. */
  replace(before: string | null): void;
  /** Records it as the video's, once the row references it. */
  commit(videoId: string): Promise<void>;
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
      replace: removeReplacedThumbnail,
      async commit(videoId) {
        await recordFile({ ...name, videoId, kind: "thumbnail", isClean: true });
        await withdrawAnnouncement([name]);
        removeSoon();
      },
      discard: () => removeUnreferenced([name], "discarded"),
    };
  } finally {
    await removeTemporary(encoded);
  }
}
