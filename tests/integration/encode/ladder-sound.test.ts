import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transcode } from "~/media/encode/transcode.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { makeLadder, workOn } from "../../encode-library";
import { ffprobe, makeClip } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ ENCODER_PRESET: "ultrafast" });
});
afterEach(() => site.remove());

const tone = (seconds: number) => `sine=frequency=440:sample_rate=48000:duration=${seconds}`;
/** One picture, and one packet of AAC. */
const LEEWAY_SECONDS = 0.07;

/** When the last packet of a stream ends, in seconds from the first picture. */
function endOf(file: string, stream: "v" | "a"): number {
  const packets = (which: string) =>
    ffprobe(file, ["-select_streams", which, "-show_entries", "packet=pts_time", "-of", "csv=p=0"])
      .split("\n")
      .map((line) => Number.parseFloat(line))
      .filter((time) => !Number.isNaN(time));
  return Math.max(...packets(stream)) - Math.min(...packets("v"));
}

describe.runIf(ffmpegAvailable())("the sound of the adaptive stream", () => {
  it.each([
    ["shorter than the picture, is padded to its end", "mp4", 6, tone(2)],
    ["longer than the picture, ends with it", "mp4", 2, tone(9)],
    ["shorter than the picture, in a file that tells no length of a stream", "mkv", 6, tone(2)],
  ])("%s", async (_, as, seconds, sound) => {
    const ladder = await makeLadder(makeClip(site.folder, "film", { as, seconds, sound }));
    const file = path.join(ladder, "180p.mp4");
    expect(endOf(file, "v")).toBeCloseTo(seconds, 0);
    expect(Math.abs(endOf(file, "a") - endOf(file, "v"))).toBeLessThan(LEEWAY_SECONDS);
    const playlist = fs.readFileSync(path.join(ladder, "180p.m3u8"), "utf8");
    const lengths = [...playlist.matchAll(/#EXTINF:([\d.]+)/g)].map((match) => Number(match[1]));
    expect(lengths.reduce((sum, each) => sum + each)).toBeCloseTo(seconds, 1);
  });

  it("is padded in the copy that browsers play, where it is encoded anew", async () => {
    const short = { as: "avi", seconds: 4, sound: tone(1), video: ["mpeg4"], audio: ["ac3"] };
    const { moves } = await transcode(...(await workOn(makeClip(site.folder, "film", short))));
    const file = path.join(site.folder, moves[0]!.from);
    expect(Math.abs(endOf(file, "a") - 4)).toBeLessThan(LEEWAY_SECONDS);
  });
});
