import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_PREVIEW_BYTES } from "~/features/processing/kinds/preview.server";
import { ffmpegAvailable, hasEncoder } from "~/media/probe/ffmpeg.server";
import { sqliteHandle } from "~db/client.server";
import {
  addToLibrary,
  diskPath,
  filesBelow,
  jobRows,
  videoRow,
  workUntilIdle,
} from "../encode-library";
import { ffprobe, makeClip } from "../media-clips";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ ENCODER_CODECS: "h264,av1" });
});
afterEach(() => site.remove());

async function makePreview(): Promise<void> {
  sqliteHandle().exec(
    "UPDATE jobs SET state = CASE kind WHEN 'preview' THEN 'waiting' ELSE 'done' END",
  );
  await workUntilIdle();
}

/** Adds a video with a hover preview and no other derived files. */
async function videoWithPreview(): Promise<string> {
  const output = ["-movflags", "+faststart"];
  const clip = makeClip(site.folder, "clip", { seconds: 8, size: "640x360", output });
  const id = await addToLibrary(site.uploads, clip, true);
  await makePreview();
  expect(jobRows(id).filter(({ reason }) => reason)).toEqual([]);
  return id;
}

const probed = (file: string, entries: string) =>
  ffprobe(file, ["-v", "error", "-show_entries", entries, "-of", "csv=p=0"]).trim();

describe.runIf(ffmpegAvailable() && hasEncoder("libsvtav1"))(
  "a hover preview in two codecs",
  () => {
    it("is stored as two silent clips in one folder, and the video's row refers to the H.264 clip", async () => {
      const url = videoRow(await videoWithPreview()).preview_url!;
      expect(url).toMatch(/\/preview-\w+\/h264\.mp4$/);
      const folder = path.dirname(diskPath(site.uploads, url));
      expect(fs.readdirSync(folder).sort()).toEqual(["av1.mp4", "h264.mp4"]);
      for (const codec of ["h264", "av1"]) {
        const file = path.join(folder, `${codec}.mp4`);
        expect(probed(file, "stream=codec_name,width,height")).toBe(`${codec},480,270`);
        expect(fs.statSync(file).size).toBeLessThanOrEqual(MAX_PREVIEW_BYTES);
        expect(Number(probed(file, "format=duration"))).toBeCloseTo(4, 0);
      }
    });

    it("counts both clips toward the video's size, and replaces them together", async () => {
      const id = await videoWithPreview();
      const first = videoRow(id).preview_url!;
      await makePreview();
      const { preview_url, bytes } = videoRow(id);
      expect(preview_url).not.toBe(first);
      const previews = filesBelow(site.uploads).filter((name) => name.includes("preview-"));
      const folder = path.posix.dirname(preview_url!.replace("/media/", ""));
      expect(previews.sort()).toEqual([`${folder}/av1.mp4`, `${folder}/h264.mp4`]);
      const sizes = previews.map((name) => fs.statSync(path.join(site.uploads, name)).size);
      expect(bytes).toBe(sizes.reduce((sum, size) => sum + size));
    });
  },
);
