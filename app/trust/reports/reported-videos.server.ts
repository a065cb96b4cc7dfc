import type { MediaName } from "~/media/bucket.server";
import { videosOfFile } from "~/media/serve/videos-of-file.server";
import { prepared } from "~db/client.server";

const IS_REPORTED = `(EXISTS (SELECT 1 FROM reports WHERE reports.video_id = asked.id)
  OR EXISTS (SELECT 1 FROM report_videos WHERE report_videos.video_id = asked.id))`;

/** Returns whether a report names a video, open or closed. */
export function isReported(videoId: string): boolean {
  const asked = prepared(`SELECT 1 FROM (SELECT ? AS id) AS asked WHERE ${IS_REPORTED}`);
  return asked.get(videoId) !== undefined;
}

/**
 * Returns whether reports name all videos that a file is of, or is derived from. False for a file that no
 * video is known to use.
 */
export function isFileOfReported(name: MediaName): boolean {
  const reported = prepared(
    `WITH ids AS (SELECT value AS id FROM json_each(?))
     SELECT ${IS_REPORTED} FROM videos AS asked WHERE id IN (
       SELECT id FROM ids
       UNION SELECT video_id FROM video_files WHERE id IN (SELECT id FROM ids))`,
  )
    .pluck()
    .all(JSON.stringify(videosOfFile(name))) as (0 | 1)[];
  return reported.length > 0 && reported.every((each) => each === 1);
}
