import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { sqliteHandle } from "~db/client.server";
import { breakChunkOffset } from "../../edited-mp4";
import {
  addToLibrary,
  diskPath,
  filesBelow,
  jobRows,
  videoRow,
  workUntilIdle,
} from "../../encode-library";
import { makeClip } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";
import { withoutMetadata } from "../../without-metadata";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const H264 = ["libx264", "-pix_fmt", "yuv420p", "-g", "25"];
const SMALL = { size: "160x90" };

describe.runIf(ffmpegAvailable())("a file whose index is broken", () => {
  it("isn't replaced by an incomplete copy", async () => {
    const source = makeClip(site.folder, "broken", { ...SMALL, seconds: 8, video: H264 });
    breakChunkOffset(source);
    const id = await addToLibrary(site.uploads, source, true);
    const url = videoRow(id).video_url;
    const retried =
      "UPDATE jobs SET run_after = '2000' WHERE state = 'waiting' AND kind <> 'cleanup'";
    for (let attempt = 0; attempt < 3; attempt++) {
      await workUntilIdle();
      sqliteHandle().exec(retried);
    }
    const [job] = jobRows(id);
    expect(job).toMatchObject({ kind: "transcode", state: "failed" });
    expect(job!.reason).toContain("could not be copied completely");
    expect(videoRow(id)).toMatchObject({ video_url: url, source_url: null });
    const kept = fs.readFileSync(diskPath(site.uploads, url));
    expect(kept.equals(withoutMetadata(fs.readFileSync(source)))).toBe(true);
    expect(filesBelow(path.join(site.uploads, "videos"))).toHaveLength(1);
  });

  it("is kept as the original if its copy in another container is incomplete", async () => {
    const source = makeClip(site.folder, "broken", {
      ...SMALL,
      seconds: 8,
      video: H264,
      audio: ["ac3"],
    });
    breakChunkOffset(source);
    const id = await addToLibrary(site.uploads, source, false);
    sqliteHandle().exec("DELETE FROM jobs WHERE kind <> 'transcode'");
    await workUntilIdle();
    const row = videoRow(id);
    expect(row.source_url).not.toBeNull();
    expect(
      fs.readFileSync(diskPath(site.uploads, row.source_url)).equals(fs.readFileSync(source)),
    ).toBe(true);
  });
});
