import { type MediaName, mediaBasePath, mediaUrl, parseMediaUrl } from "~/media/bucket.server";
import { database } from "~db/client.server";
import type { VideoRow } from "~db/schema";

type Addresses = Pick<VideoRow, "id" | "video_url" | "thumbnail_url" | "source_url">;

/**
 * The files and folders that belong to a video alone: its video, its thumbnail, what has been
 * recorded as its own, and the folders of what was derived from them, named by `{userId}/{timestamp}` in
 * either bucket. A file that another row points at, as an import may have made it, is not among them.
 *
 * @param leaving the ids of rows that go as well, whose claims count no more.
 */
export async function ownFiles(
  video: Addresses,
  leaving: ReadonlySet<string> = new Set([video.id]),
): Promise<MediaName[]> {
  const recorded = await database()
    .selectFrom("media_files")
    .select(["bucket", "path"])
    .where("video_id", "=", video.id)
    .execute();
  const named = [video.video_url, video.source_url, video.thumbnail_url]
    .map((address) => parseMediaUrl(address ?? ""))
    .filter((name) => name !== undefined);
  const own: MediaName[] = [];
  for (const name of [...named, ...recorded]) {
    if (await isShared(name, leaving)) continue;
    const basePath = mediaBasePath(name.path);
    own.push(name, { bucket: "thumbnails", path: basePath });
    if (name.bucket === "videos") own.push({ bucket: "videos", path: basePath });
  }
  return own.filter((file, index) => !own.some((each, at) => covers(each, file, at < index)));
}

/** Whether a row that stays uses the file, or one of the same base path. */
export async function isShared(name: MediaName, leaving: ReadonlySet<string>): Promise<boolean> {
  const basePath = mediaUrl(name.bucket, mediaBasePath(name.path));
  const column = name.bucket === "videos" ? "video_url" : "thumbnail_url";
  const users = await database()
    .selectFrom("videos")
    .select("id")
    // From "{basePath}." to below "{basePath}0": the file itself ("."), or one in its folder ("/").
    .where(column, ">=", `${basePath}.`)
    .where(column, "<", `${basePath}0`)
    .execute();
  return users.some(({ id }) => !leaving.has(id));
}

/** Whether moving `each` moves `file` too: a folder above it, or the same named before. */
function covers(each: MediaName, file: MediaName, before: boolean): boolean {
  if (each.bucket !== file.bucket) return false;
  return file.path.startsWith(`${each.path}/`) || (before && file.path === each.path);
}
