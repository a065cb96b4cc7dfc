import fs from "node:fs";
import { expect } from "vitest";
import { sqliteHandle } from "~db/client.server";
import { addToLibrary, diskPath, videoRow, workUntilIdle } from "./encode-library";
import { makeClip } from "./media-clips";

/** H.264 with CABAC, which lets decoders detect damage. */
export const H264 = [
  "libx264",
  ...["-preset", "veryfast", "-bf", "0", "-pix_fmt", "yuv420p", "-g", "25"],
];
/** H.264 with CAVLC, in which damage can go undetected. */
export const CAVLC = ["libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "25"];

/** Creates a video that needs conversion. Returns its path. */
export function mpeg4(folder: string, more = {}): string {
  return makeClip(folder, "video", {
    extension: "avi",
    video: ["mpeg4"],
    audio: ["libmp3lame"],
    ...more,
  });
}

/** Adds a video and runs the jobs that affect its original. Returns the video's ID and the original's URL. */
export async function addAndConvert(
  uploads: string,
  source: string,
  playable: boolean,
): Promise<{ id: string; original: string }> {
  const id = await addToLibrary(uploads, source, playable);
  const others = `'poster', 'storyboard', 'preview', 'loudness'${playable ? ", 'ladder', 'captions'" : ""}`;
  sqliteHandle().exec(`UPDATE jobs SET state = 'done' WHERE kind IN (${others})`);
  await workUntilIdle();
  const { source_url } = videoRow(id);
  expect(isOnDisk(uploads, source_url)).toBe(true);
  return { id, original: source_url! };
}

/** Runs the cleanup job as if its six-hour delay had passed. */
export async function runCleanup(): Promise<void> {
  sqliteHandle().exec(
    "UPDATE jobs SET state = 'waiting', run_after = '2000' WHERE kind = 'cleanup'",
  );
  await workUntilIdle();
}

export function isOnDisk(uploads: string, url: string | null): boolean {
  return url !== null && fs.existsSync(diskPath(uploads, url));
}

/** Fails unless the original of a converted video is removed without a warning. */
export async function expectRemoved(uploads: string, source: string, warnings: string[]) {
  const { id, original } = await addAndConvert(uploads, source, false);
  await runCleanup();
  expect(warnings).toEqual([]);
  expect(videoRow(id)).toMatchObject({ source_url: null, source_removed_at: expect.any(String) });
  expect(isOnDisk(uploads, original)).toBe(false);
}
