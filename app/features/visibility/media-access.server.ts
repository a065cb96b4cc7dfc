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
 * Responds to GET and HEAD requests for a file. If a file isn't public, the response is the same 404 as for a file that
 * doesn't exist, unless the user may see it.
 *
 * @param maySeeHidden called only for files that aren't public.
 */
export async function respondWithMedia(
  request: Request,
  requested: MediaName,
  maySeeHidden: (name: MediaName) => Promise<boolean>,
): Promise<Response> {
  const open = parseMediaUrl(publicFile(mediaUrl(requested.bucket, requested.path)) ?? "");
  if (open?.path === requested.path) return serveMedia(request, open, true);
  // Users who may see hidden files get this file, even if other users get the playable file at its URL.
  const isOwn =
    exists(requested) && (await maySeeHidden(requested)) && !isOfDeletedVideo(requested);
  if (isOwn) return serveMedia(request, requested, false);
  return open ? serveMedia(request, open, true) : notFound();
}

function exists(name: MediaName): boolean {
  const file = mediaFile(captionsOfPlaylist(name));
  return file !== undefined && fileExists(file);
}

/**
 * Returns the URL of the public file to serve for a URL. This is the same URL if a public video uses it. For a former
 * URL of a public video, such as the URL of an AVI that was converted to MP4, the result is the current file's URL. The
 * result is undefined if nothing at the URL is public. It is looked up on every request, so that hiding a video takes
 * effect immediately.
 *
 * @param url a path such as `/media/videos/u/1700000000000.mp4`.
 */
export function publicFile(url: string): string | undefined {
  const name = parseMediaUrl(url);
  if (!name) return undefined;
  if (isPublicUrl(url)) return url;
  if (isPrivateVersion(name.path)) return undefined;
  const base = mediaBasePath(name.path);
  const isDerived = name.path.split("/").length > 2;
  const played = playedFile(base);
  if (played === undefined) return isDerived && isStreamed(base) ? url : replacedFile(name);
  // Derived files are in their video's folder, and are public if the video is.
  if (isDerived) return url;
  return name.bucket === "videos" ? played : undefined;
}

/**
 * Returns the current file for the URL of a replaced file. A replaced or trimmed file may contain something that nobody
 * should see, so it is no longer served, and neither are the files derived from it. Open players continue with the
 * current file (see app/features/player/recovery.ts).
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

function isPublicUrl(url: string): boolean {
  return (
    prepared(
      `SELECT 1 FROM videos WHERE public AND video_url = @url
       UNION ALL SELECT 1 FROM videos WHERE public AND thumbnail_url = @url LIMIT 1`,
    ).get({ url }) !== undefined
  );
}

/** Returns whether a public video with this base path plays a stream that is still being generated. */
function isStreamed(base: string): boolean {
  return (
    prepared(
      `SELECT 1 FROM videos INDEXED BY videos_by_growing_stream
       WHERE public AND video_url = '' AND hls_url > @from AND hls_url < @to LIMIT 1`,
    ).get({ from: `/media/videos/${base}/`, to: `/media/videos/${base}0` }) !== undefined
  );
}

/** Returns the URL of the file that a public video with this base path plays. */
function playedFile(base: string): string | undefined {
  const prefix = `/media/videos/${base}`;
  const urls = prepared<string>(
    // From "{base}." up to, but not including, "{base}0": the file itself ("."), or a file in its folder ("/").
    `SELECT video_url FROM videos
     WHERE public AND video_url >= @from AND video_url < @to`,
  )
    .pluck()
    .all({ from: `${prefix}.`, to: `${prefix}0` });
  // The range also contains "{base}.other.mp4", which is another video's file.
  return urls.find((url) => mediaBasePath(parseMediaUrl(url)?.path ?? "") === base);
}

/**
 * Returns whether all videos that a file belongs to were uploaded by a user. False for a file that doesn't belong to
 * any known video.
 */
export function isUploadersFile(name: MediaName, userId: string): boolean {
  const videos = videosUsing(name);
  return videos.length > 0 && videos.every((video) => video.uploaded_by === userId);
}

/** Returns the videos to which a file belongs, including pending and replaced files. */
export function videosUsing(name: MediaName): Pick<VideoRow, "id" | "uploaded_by">[] {
  return prepared<Pick<VideoRow, "id" | "uploaded_by">>(
    `WITH ids AS (SELECT value AS id FROM json_each(?))
     SELECT id, uploaded_by FROM videos WHERE id IN (
       SELECT id FROM ids
       UNION SELECT video_id FROM video_files WHERE id IN (SELECT id FROM ids))`,
  ).all(JSON.stringify(videosOfFile(name)));
}

/**
 * Returns the ids of the videos or `video_files` rows to which a file belongs, according to the file records or the
 * URLs in a row.
 */
export function videosOfFile({ bucket, path }: MediaName): string[] {
  const base = mediaBasePath(path);
  const url = mediaUrl(bucket, path);
  // From "{base}." up to, but not including, "{base}0": the file itself ("."), or a file in its folder ("/").
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
  // The ranges also contain "{base}.other.mp4", which is another video's file.
  const isOfBase = (path: string | undefined) => mediaBasePath(path ?? "") === base;
  return [
    ...new Set([
      ...recorded.filter((file) => isOfBase(file.path)).map(({ id }) => id),
      ...playing.filter((video) => isOfBase(parseMediaUrl(video.url)?.path)).map(({ id }) => id),
      ...named,
    ]),
  ];
}
