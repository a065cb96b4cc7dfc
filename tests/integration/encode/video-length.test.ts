import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { type Clip, makeClip, truncated } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";

const GROUPS = ["-g", "25"];
const X264 = ["libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", ...GROUPS];
const FASTSTART = { video: X264, output: ["-movflags", "+faststart"] };
const FRAGMENTS = { video: X264, output: ["-movflags", "+frag_keyframe+empty_moov"] };
const AVI = { extension: "avi", video: ["mpeg4", ...GROUPS], audio: ["libmp3lame"] };
const WMV = { extension: "wmv", video: ["wmv2", ...GROUPS], audio: ["wmav2"] };

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const whole = (clip: Clip) =>
  makeClip(site.folder, "whole", { seconds: 6, size: "160x90", ...clip });
const lengthOf = async (file: string) => (await probe(file))!;

describe.runIf(ffmpegAvailable())("a video's duration", () => {
  const SOUND_OF_40 = { seconds: 40, videoSource: "testsrc2=size=160x90:rate=25:duration=1.6" };
  it.each<[string, Clip, number]>([
    ["MP4 with longer audio", SOUND_OF_40, 1.6],
    ["fragmented MP4 with longer audio", { ...SOUND_OF_40, ...FRAGMENTS }, 1.6],
    ["Matroska with longer audio", { ...SOUND_OF_40, extension: "mkv" }, 1.6],
    ["AVI with longer audio", { ...SOUND_OF_40, ...AVI }, 1.6],
    [
      "timestamps that begin after an hour",
      { extension: "mkv", output: ["-output_ts_offset", "3892"] },
      6,
    ],
    ["a transport stream", { extension: "ts", output: ["-output_ts_offset", "3892"] }, 6],
    ["a program stream", { extension: "mpg", video: ["mpeg2video"], audio: ["mp2"] }, 6],
    ["Flash", { extension: "flv", video: X264 }, 6],
    ["Windows Media", WMV, 6],
    ["Ogg", { extension: "ogv", video: ["libtheora"], audio: ["libvorbis"] }, 6],
    ["a recording without a duration", { extension: "mkv", output: ["-live", "1"] }, 6],
  ])("is the duration of its frames (%s)", async (_, clip, seconds) => {
    const found = await lengthOf(whole(clip));
    expect(found.durationSeconds).toBeCloseTo(seconds, 0);
    expect(Math.abs(found.durationSeconds - seconds)).toBeLessThan(0.15);
    expect(found).not.toHaveProperty("cutOff");
    expect(found).not.toHaveProperty("announcedSeconds");
  });

  it.each<[string, string, number]>([
    ["mp2", "mpeg", 6],
    ["mp2", "mpeg", 3],
    ["ac3", "vob", 3],
  ])(
    "includes a program stream's last frames, which have no timestamps (%s in %s, %i s)",
    async (audio, format, seconds) => {
      const videoSource = `color=gray:size=160x90:rate=25:duration=${seconds}`;
      const output = ["-f", format];
      const clip = {
        extension: "mpg",
        video: ["mpeg2video"],
        audio: [audio],
        seconds,
        videoSource,
        output,
      };
      const { durationSeconds } = await lengthOf(whole(clip));
      expect(durationSeconds).toBeGreaterThanOrEqual(seconds);
      expect(durationSeconds).toBeLessThan(seconds + 0.1);
    },
  );

  it.each<[string, Clip]>([
    ["MP4 with its index first", FASTSTART],
    ["MOV with its index first", { ...FASTSTART, extension: "mov" }],
    ["Matroska", { extension: "mkv", video: X264 }],
    ["AVI", AVI],
    ["Flash", { extension: "flv", video: X264 }],
    ["Windows Media", WMV],
  ])("is the duration of the remaining part if the file is truncated (%s)", async (_, clip) => {
    const found = await lengthOf(truncated(whole(clip), 0.6));
    expect(found.durationSeconds).toBeGreaterThan(2.5);
    expect(found.durationSeconds).toBeLessThan(4.5);
    expect(found.cutOff?.seconds).toBe(found.durationSeconds);
    expect(Math.abs(found.cutOff!.announcedSeconds - 6)).toBeLessThan(0.7);
  });

  it("isn't reported as incomplete if only the file's last bytes are missing", async () => {
    const file = truncated(whole(FASTSTART), 0.99);
    const found = await lengthOf(file);
    expect(found.announcedSeconds).toBe(6);
    expect(found).not.toHaveProperty("cutOff");
  });
});

describe.runIf(ffmpegAvailable())("a truncated file", () => {
  const MESSAGE = "The file is incomplete and can’t be played. Upload the whole file.";

  it("is rejected as incomplete if its index is missing", async () => {
    const behind = truncated(whole({}), 0.8);
    await expect(probe(behind)).rejects.toMatchObject({ status: 422, message: MESSAGE });
    const inside = path.join(site.folder, "inside.mp4");
    const bytes = fs.readFileSync(whole(FASTSTART));
    fs.writeFileSync(inside, bytes.subarray(0, bytes.indexOf("trak", 0, "latin1") + 20));
    await expect(probe(inside)).rejects.toMatchObject({ status: 422, message: MESSAGE });
  });
});
