import { sqliteHandle } from "~db/client.server";
import { mediaBasePath, parseMediaUrl } from "../bucket.server";

/**
 * The file that anyone may have at an address, itself an address: the same one when a published
 * video uses it. An address that a published video had before, such as that of an AVI which is now
 * an MP4, leads to the file that is played today. Undefined when nobody may have anything there.
 * It is looked up at every request, so hiding a video takes effect at once.
 *
 * @param url the path of the address, such as `/media/videos/u/1700000000000.mp4`.
 */
export function publicFile(url: string): string | undefined {
  const name = parseMediaUrl(url);
  if (!name) return undefined;
  if (isNamed(url)) return url;
  const played = playedFile(mediaBasePath(name.path));
  // Derived files stand in the folder of their video, and are as public as it is.
  if (name.path.split("/").length > 2) return played && url;
  return name.bucket === "videos" ? played : undefined;
}

function isNamed(url: string): boolean {
  return (
    sqliteHandle()
      .prepare(
        `SELECT 1 FROM videos WHERE status = 'published' AND video_url = @url
         UNION ALL SELECT 1 FROM videos WHERE status = 'published' AND thumbnail_url = @url LIMIT 1`,
      )
      .get({ url }) !== undefined
  );
}

/** The address of the file that a published video of that base path plays. */
function playedFile(base: string): string | undefined {
  const prefix = `/media/videos/${base}`;
  const urls = sqliteHandle()
    .prepare<unknown[], string>(
      // From "{base}." to below "{base}0": the file itself ("."), or one in its folder ("/").
      `SELECT video_url FROM videos
       WHERE status = 'published' AND video_url >= @from AND video_url < @to`,
    )
    .pluck()
    .all({ from: `${prefix}.`, to: `${prefix}0` });
  // The range holds "{base}.other.mp4" too, which is the file of another video.
  return urls.find((url) => mediaBasePath(parseMediaUrl(url)?.path ?? "") === base);
}
