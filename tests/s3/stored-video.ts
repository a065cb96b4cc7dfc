import fs from "node:fs";
import path from "node:path";
import { until } from "../process-figures";
import type { SiteProcess } from "../site-process";

/** The names of two files in the `videos` bucket: a video's file, and a file from its stream. */
export const VIDEO_NAME = "u/1700000000000.mp4";
const PART_NAME = "u/1700000000000/hls-1/v0.mp4";

/** Returns whether the site has recorded that a file from the `videos` bucket is in its store. */
export function isStored(site: SiteProcess, name: string): boolean {
  const row = site.database().prepare("SELECT 1 FROM stored_files WHERE path = ?");
  return row.get(name) !== undefined;
}

/**
 * Adds the video `v` with both files, waits until the running site has moved them to its store, and removes the local
 * copies. Returns the files' URLs.
 */
export async function addStoredVideo(
  site: SiteProcess,
  bytes: Buffer,
): Promise<{ url: string; part: string }> {
  const url = site.addFile("videos", VIDEO_NAME, bytes);
  const part = site.addFile("videos", PART_NAME, bytes);
  site.addVideo({ id: "v", video_url: url });
  // Only files with a record are moved.
  const record = site
    .database()
    .prepare(
      "INSERT INTO media_files (bucket, path, video_id, kind, bytes) VALUES ('videos', ?, 'v', ?, ?)",
    );
  record.run(VIDEO_NAME, "video", bytes.length);
  record.run(path.dirname(path.dirname(PART_NAME)), "derived", bytes.length);
  await until(() => [VIDEO_NAME, PART_NAME].every((name) => isStored(site, name)));
  for (const name of [VIDEO_NAME, PART_NAME]) fs.rmSync(path.join(site.uploads, "videos", name));
  return { url, part };
}
