import { afterEach, beforeEach, describe, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { expectSameVideo } from "../copied-videos";
import type { Clip } from "../media-clips";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

describe.runIf(ffmpegAvailable())("remuxing an MP4 to put its index first", () => {
  it.each<[string, Clip]>([
    ["a silent video", { audio: false }],
    ["frames out of order", { video: ["libx264", "-bf", "3", "-pix_fmt", "yuv420p"] }],
    ["AV1 and Opus", { video: ["libsvtav1", "-preset", "12"], audio: ["libopus"] }],
    ["a longer video", { seconds: 20, size: "640x360" }],
  ])("keeps all packets and doesn't change playback: %s", async (_, clip) => {
    await expectSameVideo(site, clip);
  });
});
