import fs from "node:fs";
import { expect } from "vitest";
import { sqliteHandle } from "~db/client.server";
import { addToLibrary, onDisk, videoRow, workUntilIdle } from "./encode-library";
import { makeClip } from "./media-clips";

/** H.264 whose entropy coding makes decoders notice damage. */
export const H264 = [
  "libx264",
  ...["-preset", "veryfast", "-bf", "0", "-pix_fmt", "yuv420p", "-g", "25"],
];
/** Its entropy coding lets decoders pass over damage without noticing it. */
export const CAVLC = ["libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "25"];

/** A video that has to be converted. */
export function mpeg4(folder: string, more = {}): string {
  return makeClip(folder, "video", { as: "avi", video: ["mpeg4"], audio: ["libmp3lame"], ...more });
}

/** A video with the jobs that its original matters to, done. */
export async function converted(
  uploads: string,
  source: string,
  playable: boolean,
): Promise<{ id: string; original: string }> {
  const id = await addToLibrary(uploads, source, playable);
  const others = `'poster', 'storyboard', 'preview', 'loudness'${playable ? ", 'ladder', 'captions'" : ""}`;
  sqliteHandle().exec(`UPDATE jobs SET state = 'done' WHERE kind IN (${others})`);
  await workUntilIdle();
  const { source_url } = videoRow(id);
  expect(isThere(uploads, source_url)).toBe(true);
  return { id, original: source_url! };
}

/** Runs the last job, as when the six hours are over. */
export async function cleanUp(): Promise<void> {
  sqliteHandle().exec(
    "UPDATE jobs SET state = 'waiting', run_after = '2000' WHERE kind = 'cleanup'",
  );
  await workUntilIdle();
}

export function isThere(uploads: string, url: string | null): boolean {
  return url !== null && fs.existsSync(onDisk(uploads, url));
}

/** Fails unless the original of a converted video was removed in the end, without a warning. */
export async function expectRemoved(uploads: string, source: string, warnings: string[]) {
  const { id, original } = await converted(uploads, source, false);
  await cleanUp();
  expect(warnings).toEqual([]);
  expect(videoRow(id)).toMatchObject({ source_url: null, source_removed_at: expect.any(String) });
  expect(isThere(uploads, original)).toBe(false);
}
