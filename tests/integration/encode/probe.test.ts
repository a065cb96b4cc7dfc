import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ffmpegAvailable, forgetFfmpeg } from "~/media/probe/ffmpeg.server";
import { probe, RefusedFileError } from "~/media/probe/probe.server";
import { type Clip, makeClip, rotate, truncated } from "../../media-clips";

const FASTSTART = { output: ["-movflags", "+faststart"] };
const X264 = ["libx264", "-preset", "ultrafast"];
const VP9 = ["libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"];

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "probe-test-"));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

async function errorOf(file: string): Promise<RefusedFileError> {
  const error = await probe(file).then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(RefusedFileError);
  return error;
}

describe.runIf(ffmpegAvailable())("probe", () => {
  it.each<[string, Clip, Record<string, unknown>]>([
    ["H.264 in MP4", FASTSTART, { container: "mp4", playable: true, needsFaststart: false }],
    ["MP4, index at the end", {}, { container: "mp4", playable: true, needsFaststart: true }],
    ["MOV", { extension: "mov" }, { container: "mov", playable: true, needsFaststart: true }],
    [
      "MP4 in fragments",
      { output: ["-movflags", "+frag_keyframe+empty_moov"] },
      { playable: true, needsFaststart: true },
    ],
    ["MP4 without audio", { audio: false }, { playable: true }],
    ["MP3 in MP4", { audio: ["libmp3lame"] }, { playable: true }],
    ["AC-3 in MP4", { audio: ["ac3"] }, { playable: false }],
    ["10-bit video", { video: [...X264, "-pix_fmt", "yuv420p10le"] }, { playable: false }],
    ["4:4:4 video", { video: [...X264, "-pix_fmt", "yuv444p"] }, { playable: false }],
    [
      "HEVC in MOV",
      {
        extension: "mov",
        video: ["libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"],
      },
      { playable: false },
    ],
    [
      "WebM",
      { extension: "webm", video: VP9, audio: ["libopus"] },
      { container: "webm", playable: true, needsFaststart: false },
    ],
    [
      "H.264 in Matroska",
      { extension: "mkv" },
      { container: "matroska", playable: false, needsFaststart: false },
    ],
    ["AVI", { extension: "avi", video: ["mpeg4"] }, { container: "avi", playable: false }],
  ])("detects whether browsers can play a file (%s)", async (name, clip, wanted) => {
    const found = await probe(makeClip(folder, name.replaceAll(/\W/g, ""), clip));
    expect(found).toMatchObject({ video: { width: 320, height: 180 }, ...wanted });
    expect(found!.durationSeconds).toBeCloseTo(2, 0);
    expect(found!.video.frameRate).toBeCloseTo(25, 0);
  });

  it("returns the display size, after rotation and with square pixels", async () => {
    const turned = rotate(makeClip(folder, "turned"), 90);
    expect(await probe(turned)).toMatchObject({ video: { width: 180, height: 320, rotation: 90 } });
    const wide = makeClip(folder, "wide", { video: [...X264, "-vf", "setsar=4/3"] });
    expect(await probe(wide)).toMatchObject({ video: { width: 427, height: 180 } });
  });

  it("measures the duration of a recording whose header doesn't contain it", async () => {
    const live = { extension: "webm", video: VP9, audio: ["libopus"], output: ["-live", "1"] };
    const found = await probe(makeClip(folder, "live", live));
    expect(found).toMatchObject({ playable: true, needsFaststart: true });
    expect(found!.durationSeconds).toBeCloseTo(2, 0);
  });

  it("detects HDR", async () => {
    const pq = ["-pix_fmt", "yuv420p10le", "-color_trc", "smpte2084", "-color_primaries", "bt2020"];
    const hdr = makeClip(folder, "hdr", { video: [...X264, ...pq, "-colorspace", "bt2020nc"] });
    expect(await probe(hdr)).toMatchObject({ video: { hdr: true }, playable: false });
  });

  it("rejects files that aren't videos, with a message", async () => {
    const text = path.join(folder, "text.mp4");
    fs.writeFileSync(text, "hello ".repeat(1_000));
    expect(await errorOf(text)).toMatchObject({ status: 415, message: /supported video/ });
    const audioOnly = makeClip(folder, "audio", { output: ["-vn"] });
    expect(await errorOf(audioOnly)).toMatchObject({ status: 422, message: /no video/ });
  });

  it("rejects a disguised playlist, and doesn't open any of its files", async () => {
    const target = makeClip(folder, "target", { extension: "ts" });
    const playlist = path.join(folder, "playlist.mp4");
    for (const text of [
      `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nfile://${target}\n#EXT-X-ENDLIST\n`,
      `ffconcat version 1.0\nfile '${target}'\n`,
    ]) {
      fs.writeFileSync(playlist, text);
      expect(await errorOf(playlist)).toMatchObject({ status: 415 });
    }
  });

  it("rejects extreme sizes, durations over a day, and a thousand streams", async () => {
    const raw = ["ffv1", "-pix_fmt", "gray"];
    const line = makeClip(folder, "line", {
      extension: "mkv",
      videoSource: "color=gray:size=20000x2:rate=1:duration=1",
      video: raw,
      audio: false,
    });
    expect(await errorOf(line)).toMatchObject({ status: 422, message: /too large or too small/ });
    const small = makeClip(folder, "small", {
      size: "8x8",
      extension: "mkv",
      video: raw,
      audio: false,
    });
    expect(await errorOf(small)).toMatchObject({ status: 422 });
    const long = makeClip(folder, "long", {
      extension: "mkv",
      videoSource: "color=gray:size=32x32:rate=1/1000:duration=100000",
      audio: false,
    });
    expect(await errorOf(long)).toMatchObject({ status: 422, message: /24 hours/ });
    const many = makeClip(folder, "many", {
      extension: "mkv",
      audio: false,
      output: Array.from({ length: 80 }, () => ["-map", "0:v"]).flat(),
      video: ["mpeg4"],
      size: "32x32",
      seconds: 1,
    });
    expect(await errorOf(many)).toMatchObject({ status: 422 });
  });

  it("rejects or reads files truncated at any position, and never hangs", async () => {
    const whole = makeClip(folder, "whole", FASTSTART);
    for (const tenth of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
      const outcome = await probe(truncated(whole, tenth / 10)).catch((reason) => reason);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(RefusedFileError);
      else expect(outcome).toMatchObject({ playable: true });
    }
  });

  it("handles file names that look like options, protocols or patterns", async () => {
    const clip = makeClip(folder, "plain");
    for (const name of ["-i.mp4", "concat:a|b.mp4", "$(touch x)%03d.mp4", "a'b\"c\n.mp4"]) {
      const named = path.join(folder, name);
      fs.copyFileSync(clip, named);
      expect(await probe(named)).toMatchObject({ playable: true });
    }
  });
});

describe("probe without ffmpeg", () => {
  afterEach(() => forgetFfmpeg());

  it("doesn't reject any file, because it can't examine files", async () => {
    const before = process.env.PATH;
    process.env.PATH = folder;
    forgetFfmpeg();
    const found = await probe(path.join(folder, "whatever.mp4"));
    process.env.PATH = before;
    expect(found).toBeUndefined();
  });
});
