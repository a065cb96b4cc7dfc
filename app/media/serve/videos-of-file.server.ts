import { prepared } from "~db/client.server";
import { type MediaName, mediaBasePath, mediaUrl, parseMediaUrl } from "../bucket.server";

/**
 * Whether all videos that a file is of, or is derived from, were uploaded by a user. False for a file
 * that no video is known to use.
 */
export function isUploadersFile(name: MediaName, userId: string): boolean {
  const uploaders = prepared(
    `WITH ids AS (SELECT value AS id FROM json_each(?))
     SELECT DISTINCT uploaded_by FROM videos WHERE id IN (
       SELECT id FROM ids
       UNION SELECT video_id FROM video_files WHERE id IN (SELECT id FROM ids))`,
  )
    .pluck()
    .all(JSON.stringify(videosOfFile(name)));
  return uploaders.length === 1 && uploaders[0] === userId;
}

/**
 * The ids of the videos that a file is of, or of rows of `video_files`, by the record of the files or by
 * the addresses of a row.
 */
export function videosOfFile({ bucket, path }: MediaName): string[] {
  const base = mediaBasePath(path);
  const url = mediaUrl(bucket, path);
  // From "{base}." to below "{base}0": the file itself ("."), or one in its folder ("/").
  const recorded = prepared(
    `SELECT video_id AS id, path FROM media_files
     WHERE bucket IN ('videos', 'thumbnails') AND video_id IS NOT NULL
       AND (path = @base OR (path >= @base || '.' AND path < @base || '0'))`,
  ).all({ base }) as { id: string; path: string }[];
  const playing = prepared(
    `SELECT id, video_url AS url FROM videos
     WHERE video_url >= @prefix || '.' AND video_url < @prefix || '0'`,
  ).all({ prefix: mediaUrl("videos", base) }) as { id: string; url: string }[];
  const named = prepared(
    `SELECT id FROM videos WHERE video_url = @url
     UNION SELECT id FROM videos WHERE thumbnail_url = @url`,
  )
    .pluck()
    .all({ url }) as string[];
  // The ranges hold "{base}.other.mp4" too, which is the file of another video.
  const isOfBase = (path: string | undefined) => mediaBasePath(path ?? "") === base;
  return [
    ...new Set([
      ...recorded.filter((file) => isOfBase(file.path)).map(({ id }) => id),
      ...playing.filter((video) => isOfBase(parseMediaUrl(video.url)?.path)).map(({ id }) => id),
      ...named,
    ]),
  ];
}
