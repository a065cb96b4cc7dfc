import fs from "node:fs";
import { clip, mp4Clip } from "./clips";
import type { SiteProcess } from "./site-process";

let uploadId = 1_700_000_000_000;

/**
 * Adds a published video with a real file. By default, the file shows a test card for 40 seconds. Returns the video's
 * ID.
 */
export function publishVideo(
  site: SiteProcess,
  {
    file = mp4Clip(40),
    extension = "mp4",
    bytes = fs.readFileSync(file),
    ...columns
  }: { file?: string; extension?: string; bytes?: Buffer; [column: string]: unknown } = {},
): string {
  const name = `owner/${++uploadId}`;
  const still = clip("jpg", ["-ss", "1", "-i", mp4Clip(40), "-frames:v", "1"]);
  return site.addVideo({
    status: "published",
    title: "A quiet evening",
    description: "By the sea.",
    duration: "0:40",
    video_url: site.addFile("videos", `${name}.${extension}`, bytes),
    thumbnail_url: site.addFile("thumbnails", `${name}.jpg`, fs.readFileSync(still)),
    ...(columns as Record<string, string>),
  });
}
