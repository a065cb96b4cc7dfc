import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { sqliteHandle } from "~db/client.server";
import { addToLibrary, diskPath, videoRow, workUntilIdle } from "../encode-library";
import { makeClip } from "../media-clips";
import { useTemporarySite } from "../temporary-site";
import { wrapCommand } from "../wrapped-ffmpeg";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
  for (const name of ["ffprobe", "ffmpeg"] as const) {
    const noting = `echo "$@" >> ${site.folder}/${name}s`;
    process.env.PATH = wrapCommand(site.folder, name, [noting]);
  }
});
afterEach(() => site.remove());

const started = (name: string) => fs.readFileSync(path.join(site.folder, `${name}s`), "utf8");
const probes = () => started("ffprobe").match(/-show_format/g)?.length;

describe.runIf(ffmpegAvailable())("a video's jobs", () => {
  it("probe its file once, and again only if the file has changed", async () => {
    const clip = makeClip(site.folder, "clip", { output: ["-movflags", "+faststart"] });
    const id = await addToLibrary(site.uploads, clip, true);
    await workUntilIdle();
    expect(videoRow(id).hls_url).not.toBeNull();
    expect(probes()).toBe(1);

    const other = makeClip(site.folder, "other", {
      seconds: 3,
      output: ["-movflags", "+faststart"],
    });
    fs.copyFileSync(other, diskPath(site.uploads, videoRow(id).video_url));
    sqliteHandle().exec(
      "UPDATE jobs SET state = 'waiting' WHERE kind IN ('storyboard', 'preview')",
    );
    await workUntilIdle();
    expect(probes()).toBe(2);
  });

  it("extract the frames for the poster in one process, and those for the storyboard in another", async () => {
    const clip = makeClip(site.folder, "clip", {
      seconds: 10,
      output: ["-movflags", "+faststart"],
    });
    const id = await addToLibrary(site.uploads, clip, true);
    sqliteHandle().exec("DELETE FROM jobs WHERE kind NOT IN ('poster', 'storyboard')");
    await workUntilIdle();
    expect(videoRow(id).storyboard_url).not.toBeNull();
    const taking = started("ffmpeg").match(/^.*frame-[\d.]+jpg.*$/gm) ?? [];
    expect(taking.map((line) => line.match(/frame-/g)?.length)).toEqual([9, 5]);
  });
});
