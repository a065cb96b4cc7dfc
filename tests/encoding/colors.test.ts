import fs from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPreview } from "~/features/processing/kinds/preview.server";
import { extractFrame } from "~/media/encode/frames.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { createLadder, encodeArguments } from "../encode-library";
import { ffmpeg, ffprobe, makeClip } from "../media-clips";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const COLOR = [200, 50, 20];
const LEEWAY_LEVELS = 3;

/** Creates a video of one color with the given matrix, range and tags. */
function videoFile(size: string, matrix: string, range: string, tags: string[] = []): string {
  const yuv = `scale=out_color_matrix=${matrix}:out_range=${range},format=yuv420p`;
  return makeClip(site.folder, "video", {
    videoSource: `color=c=0xC83214:size=${size}:rate=25:duration=1,format=rgb24,${yuv}`,
    video: ["libx264", "-preset", "ultrafast", "-crf", "4", "-pix_fmt", "yuv420p", ...tags],
    audio: false,
  });
}

/** Returns a file's color tags, and the color that a player displays when it applies them. */
function shown(file: string) {
  const output = ffprobe(file, [
    ...["-select_streams", "v", "-of", "json", "-show_entries"],
    "stream=color_range,color_space,color_primaries,color_transfer",
  ]);
  const [tags] = JSON.parse(output).streams as Record<string, string>[];
  const raw = `${file}.rgb`;
  const rgb = `scale=in_color_matrix=${tags!.color_space}:in_range=${tags!.color_range},format=rgb24`;
  ffmpeg(["-i", file, "-frames:v", "1", "-vf", rgb, "-f", "rawvideo", raw]);
  return { tags, color: [...fs.readFileSync(raw).subarray(0, 3)] };
}

function expectColor(color: number[]): void {
  const away = color.map((level, index) => Math.abs(level - COLOR[index]!));
  expect({ color, away: Math.max(...away) <= LEEWAY_LEVELS }).toEqual({ color, away: true });
}

const BT709 = { color_space: "bt709", color_primaries: "bt709", color_transfer: "bt709" };
const BT601 = {
  color_space: "smpte170m",
  color_primaries: "smpte170m",
  color_transfer: "smpte170m",
};
const SAYS_PAL = "-colorspace bt470bg -color_primaries bt470bg -color_trc gamma28".split(" ");
const PAL = { color_space: "bt470bg", color_primaries: "bt470bg", color_transfer: "bt470bg" };

describe.runIf(ffmpegAvailable())("the colors of a video's derived files", () => {
  it.each([
    ["HD without tags", "1280x720", "bt709", "tv", [], BT709],
    ["a small video without tags", "640x360", "bt601", "tv", [], BT601],
    ["a small video with tags", "640x480", "bt601", "tv", SAYS_PAL, PAL],
    ["full range", "1280x720", "bt709", "pc", ["-color_range", "pc"], BT709],
    ["a rare matrix", "640x360", "bt2020", "tv", ["-colorspace", "bt2020nc"], BT709],
  ])("match the video and are tagged: %s", async (_, size, matrix, range, says, expected) => {
    const clip = videoFile(size, matrix, range, says);
    const ladder = await createLadder(clip);
    const [source, found, task] = await encodeArguments(clip);
    const { moves } = await createPreview(source, found, task, "x");
    const renditions = fs.readdirSync(ladder).filter((name) => name.endsWith(".mp4"));
    expect(renditions.length).toBeGreaterThan(1);
    const files = renditions.map((name) => path.join(ladder, name));
    for (const file of [...files, path.join(site.folder, moves[0]!.from)]) {
      const { tags, color } = shown(file);
      expect(tags).toEqual({ color_range: "tv", ...expected });
      expectColor(color);
    }
    const frame = await extractFrame(clip, found, 0.5, { width: 160, height: 90 }, task);
    const { channels } = await sharp(frame).stats();
    expectColor(channels.map(({ mean }) => Math.round(mean)));
  });
});
