import path from "node:path";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { ffmpeg, makeClip } from "../media-clips";
import { expectRemoved, H264, mpeg4 } from "../removed-originals";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
let warnings: string[] = [];
beforeEach(() => {
  site = useTemporarySite({ KEEP_SOURCES: "until-converted" });
  warnings = [];
  vi.spyOn(console, "warn").mockImplementation((line) => warnings.push(String(line)));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await site.remove();
});

describe.runIf(ffmpegAvailable())("a converted original", () => {
  it.each<[string, () => string]>([
    ["is interlaced", () => mpeg4(site.folder, { video: ["mpeg4", "-flags", "+ilme+ildct"] })],
    ["has a variable frame rate", () => variableRate()],
    ["has 60 frames a second", () => mpeg4(site.folder, { frameRate: "60", size: "640x360" })],
    [
      "has video that is copied into another container",
      () => makeClip(site.folder, "video", { extension: "mkv", video: H264, audio: ["ac3"] }),
    ],
  ])("is removed if it %s and the playable file contains all frames", async (_, make) => {
    await expectRemoved(site.uploads, make(), warnings);
  });
});

function variableRate(): string {
  const steady = makeClip(site.folder, "steady", {
    extension: "mkv",
    seconds: 4,
    frameRate: "60",
    video: H264,
  });
  const source = path.join(site.folder, "video.mkv");
  const drop = "select='lt(mod(t,2),1)+not(mod(n,3))'";
  ffmpeg(["-i", steady, "-vf", drop, "-vsync", "vfr", "-c:v", "mpeg4", "-c:a", "ac3", source]);
  return source;
}
