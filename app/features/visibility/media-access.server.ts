import { type MediaName, mediaBasePath, mediaUrl, parseMediaUrl } from "~/media/bucket.server";
import { isOfDeletedVideo } from "~/media/files/references.server";
import { fileExists } from "~/media/media-files.server";
import { isPrivateVersion } from "~/media/serve/file-version.server";
import { mediaFile, serveMedia } from "~/media/serve/serve.server";
import { notFound } from "~/media/serve/serve-stored.server";
import { captionsOfPlaylist } from "~/media/serve/stream-captions.server";
import { prepared } from "~db/client.server";
import type { VideoRow } from "~db/schema";

/**
 * Answers GET and HEAD of a file. 404 for what is not there and, without a difference, for what is not public and
 * may not be seen.
 *
 * @param maySeeHidden asked only about a file that is not public.
 */
export async function answerMedia(
  request: Request,
  asked: MediaName,
  maySeeHidden: (name: MediaName) => Promise<boolean>,
): Promise<Response> {
  const open = parseMediaUrl(publicFile(mediaUrl(asked.bucket, asked.path)) ?? "");
  if (open?.path === asked.path) return serveMedia(request, open, true);
  // Who may see it gets the file itself, also where others get the one that is played.
  const isOwn = isThere(asked) && (await maySeeHidden(asked)) && !isOfDeletedVideo(asked);
  if (isOwn) return serveMedia(request, asked, false);
  return open ? serveMedia(request, open, true) : notFound();
}

function isThere(name: MediaName): boolean {
  const file = mediaFile(captionsOfPlaylist(name));
  return file !== undefined && fileExists(file);
}

/**
 * The file that anyone may have at an address, itself an address: the same one when a public
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
  if (isPrivateVersion(name.path)) return undefined;
  const base = mediaBasePath(name.path);
  const isDerived = name.path.split("/").length > 2;
  const played = playedFile(base);
  if (played === undefined) return isDerived && isStreamed(base) ? url : replacedFile(name);
  // Derived files stand in the folder of their video, and are as public as it is.
  if (isDerived) return url;
  return name.bucket === "videos" ? played : undefined;
}

/**
 * The address of a file that was replaced leads to the file of today at once: what was cut out, or replaced,
 * may be what nobody is to see. What was made of it is public no more. Who was watching goes on with the file
 * of today (see app/features/player/recovery.ts).
 */
function replacedFile({ bucket, path }: MediaName): string | undefined {
  if (bucket !== "videos" || path.split("/").length !== 2) return undefined;
  const base = mediaBasePath(path);
  const prefix = `/media/videos/${base}`;
  const files = prepared<{ was: string; now: string }>(
    `SELECT file.video_url AS was, videos.video_url AS now
     FROM video_files AS file JOIN videos ON videos.id = file.video_id
     WHERE file.video_url >= @from AND file.video_url < @to
       AND file.replaced_at IS NOT NULL AND videos.public`,
  ).all({ from: `${prefix}.`, to: `${prefix}0` });
  return files.find(({ was }) => mediaBasePath(parseMediaUrl(was)?.path ?? "") === base)?.now;
}

function isNamed(url: string): boolean {
  return (
    prepared(
      `SELECT 1 FROM videos WHERE public AND video_url = @url
       UNION ALL SELECT 1 FROM videos WHERE public AND thumbnail_url = @url LIMIT 1`,
    ).get({ url }) !== undefined
  );
}

/** Whether a published video of that base path is watched while its stream is made. */
function isStreamed(base: string): boolean {
  return (
    prepared(
      `SELECT 1 FROM videos INDEXED BY videos_by_growing_stream
       WHERE public AND video_url = '' AND hls_url > @from AND hls_url < @to LIMIT 1`,
    ).get({ from: `/media/videos/${base}/`, to: `/media/videos/${base}0` }) !== undefined
  );
}

/** The address of the file that a published video of that base path plays. */
function playedFile(base: string): string | undefined {
  const prefix = `/media/videos/${base}`;
  const urls = prepared<string>(
    // From "{base}." to below "{base}0": the file itself ("."), or one in its folder ("/").
    `SELECT video_url FROM videos
     WHERE public AND video_url >= @from AND video_url < @to`,
  )
    .pluck()
    .all({ from: `${prefix}.`, to: `${prefix}0` });
  // The range holds "{base}.other.mp4" too, which is the file of another video.
  return urls.find((url) => mediaBasePath(parseMediaUrl(url)?.path ?? "") === base);
}

/**
 * Whether all videos that a file is of, or is derived from, were uploaded by a user. False for a file
 * that no video is known to use.
 */
export function isUploadersFile(name: MediaName, userId: string): boolean {
  const videos = videosUsing(name);
  return videos.length > 0 && videos.every((video) => video.uploaded_by === userId);
}

/** The videos that a file is of, or is derived from, also as another file of theirs. */
export function videosUsing(name: MediaName): Pick<VideoRow, "id" | "uploaded_by">[] {
  return prepared<Pick<VideoRow, "id" | "uploaded_by">>(
    `WITH ids AS (SELECT value AS id FROM json_each(?))
     SELECT id, uploaded_by FROM videos WHERE id IN (
       SELECT id FROM ids
       UNION SELECT video_id FROM video_files WHERE id IN (SELECT id FROM ids))`,
  ).all(JSON.stringify(videosOfFile(name)));
}

/**
 * The ids of the videos that a file is of, or of rows of `video_files`, by the record of the files or by
 * the addresses of a row.
 */
export function videosOfFile({ bucket, path }: MediaName): string[] {
  const base = mediaBasePath(path);
  const url = mediaUrl(bucket, path);
  // From "{base}." to below "{base}0": the file itself ("."), or one in its folder ("/").
  const recorded = prepared<{ id: string; path: string }>(
    `SELECT video_id AS id, path FROM media_files
     WHERE bucket IN ('videos', 'thumbnails') AND video_id IS NOT NULL
       AND (path = @base OR (path >= @base || '.' AND path < @base || '0'))`,
  ).all({ base });
  const playing = prepared<{ id: string; url: string }>(
    `SELECT id, video_url AS url FROM videos
     WHERE video_url >= @prefix || '.' AND video_url < @prefix || '0'`,
  ).all({ prefix: mediaUrl("videos", base) });
  const named = prepared<string>(
    `SELECT id FROM videos WHERE video_url = @url
     UNION SELECT id FROM videos WHERE thumbnail_url = @url`,
  )
    .pluck()
    .all({ url });
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
