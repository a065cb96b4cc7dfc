import { database } from "~db/client.server";
import type { Duplicate } from "./upload-fields";

/**
 * The newest video whose uploaded file had exactly these bytes.
 *
 * @param sha256 hexadecimal.
 * @param uploader the id of a user who knows nothing of others' videos that are not published; undefined for who
 *   knows all.
 */
export async function findDuplicate(
  sha256: string,
  uploader: string | undefined,
): Promise<Duplicate | undefined> {
  let found = database()
    .selectFrom("video_digests")
    .innerJoin("videos", "videos.id", "video_digests.video_id")
    .select(["videos.id", "videos.title", "videos.status", "videos.public as isPublic"])
    .where("video_digests.sha256", "=", sha256);
  if (uploader !== undefined) {
    found = found.where((e) =>
      e.or([e("videos.public", "=", 1), e("videos.uploaded_by", "=", uploader)]),
    );
  }
  return found.orderBy("videos.created_at", "desc").limit(1).executeTakeFirst();
}
