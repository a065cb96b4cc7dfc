import path from "node:path";
import { prepared } from "~db/client.server";
import type { VideoFileRow } from "~db/video-files";
import { bucketFile, mediaBasePath, mediaUrl, parseMediaUrl } from "../bucket.server";
import type { Source, TrimRange } from "../encode/artifact";
import { fileExists } from "../media-files.server";

/** A video's current file or one of its previous files. */
export interface FileOfVideo {
  /** The id of the file's row in `video_files`; null for the current file. */
  id: string | null;
  video_url: string;
  source_url: string | null;
  hls_url: string | null;
  storyboard_url: string | null;
  captions: string | null;
  duration: string;
  sha256: string | null;
}

/**
 * Returns the current or previous video file with the given base path, because a trim may have to be re-encoded after
 * the video has been given another file.
 */
export function fileOfBasePath(videoId: string, base: string): FileOfVideo | undefined {
  const rows = prepared<FileOfVideo>(
    `SELECT NULL AS id, video_url, source_url, hls_url, storyboard_url, captions, duration,
       (SELECT sha256 FROM video_digests WHERE video_id = videos.id) AS sha256
     FROM videos WHERE id = @videoId
     UNION ALL
     SELECT id, video_url, source_url, hls_url, storyboard_url, captions, duration, sha256
     FROM video_files WHERE video_id = @videoId AND state IN ('earlier', 'original')`,
  ).all({ videoId });
  return rows.find((row) => {
    const name = parseMediaUrl(row.video_url || (row.source_url ?? ""));
    return name?.bucket === "videos" && mediaBasePath(name.path) === base;
  });
}

/** Returns the path of the original file if it was kept, otherwise of the played file; undefined for external URLs. */
export function bestFilePath({
  source_url,
  video_url,
}: Pick<FileOfVideo, "source_url" | "video_url">): string | undefined {
  const name = parseMediaUrl(source_url ?? video_url);
  return name && bucketFile(name.bucket, name.path);
}

/**
 * Returns the `{userId}/{uploadId}` of a trim that isn't encoded yet. Its user id is that of the original. Its upload
 * id was reserved when its row was created, and is the same as the row's creation time.
 */
export function trimBasePath({
  cut_of,
  created_at,
}: Pick<VideoFileRow, "cut_of" | "created_at">): string | undefined {
  return cut_of === null ? undefined : `${path.dirname(cut_of)}/${Date.parse(created_at)}`;
}

/** Returns the source of a trim that isn't encoded yet; undefined for any other file, or if the original is missing. */
export function trimSource(fileId: string): (Source & { trim: TrimRange }) | undefined {
  const row = prepared<VideoFileRow>(
    "SELECT * FROM video_files WHERE id = ? AND state = 'pending' AND video_url = ''",
  ).get(fileId);
  const basePath = row && trimBasePath(row);
  if (!row || basePath === undefined || row.cut_start === null || row.cut_end === null)
    return undefined;
  const original = fileOfBasePath(row.video_id, row.cut_of ?? "");
  const file = original && bestFilePath(original);
  if (!file || !fileExists(file)) return undefined;
  return {
    videoId: fileId,
    basePath,
    url: mediaUrl("videos", `${basePath}.mp4`),
    file,
    playedFile: file,
    row: { video_url: "", thumbnail_url: null, hls_url: null, source_removed_at: null },
    trim: { start: row.cut_start, end: row.cut_end },
  };
}
