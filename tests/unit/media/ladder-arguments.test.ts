import os from "node:os";
import { afterEach, describe, expect, it, vi } from "vitest";
import { audioRenditionsFor } from "~/media/encode/audio-renditions";
import { presetFor } from "~/media/encode/encoders.server";
import { ladderArguments } from "~/media/encode/ladder.server";
import { constantFrameRate, renditionsFor } from "~/media/encode/renditions.server";
import type { Probe } from "~/media/probe/probe.server";
import { forgetSettings } from "~/platform/settings.server";

afterEach(() => {
  vi.restoreAllMocks();
  delete process.env.ENCODER_THREADS;
  delete process.env.ENCODER_PRESET;
  forgetSettings();
});

const probe: Probe = {
  container: "mp4",
  durationSeconds: 9,
  video: {
    index: 0,
    codec: "h264",
    profile: "High",
    width: 1920,
    height: 1080,
    rotation: 0,
    frameRate: 25,
    pixelFormat: "yuv420p",
    hdr: false,
    interlaced: false,
  },
  audio: { index: 1, codec: "aac", channels: 2, sampleRate: 48_000 },
  audioTracks: [
    { index: 1, codec: "aac", channels: 2, sampleRate: 48_000, language: "", title: "" },
    { index: 2, codec: "aac", channels: 2, sampleRate: 48_000, language: "de", title: "" },
  ],
  subtitles: [],
  playable: true,
  copyable: true,
  needsFaststart: false,
};

function argumentsFor(processors: number): string[] {
  vi.spyOn(os, "availableParallelism").mockReturnValue(processors);
  const { video } = probe;
  const ladder = { file: "video.mp4", probe, renditions: renditionsFor(video, 1080) };
  const audio = audioRenditionsFor(probe.audioTracks, true);
  const more = { audio, rate: constantFrameRate(25), folder: "hls-x", preset: "veryfast" };
  return ladderArguments({ ...ladder, ...more }, "off");
}

/** Returns the values of all options that end with a suffix. */
const valuesOf = (args: string[], option: string) =>
  args.filter((_, index) => args[index - 1]?.endsWith(option));

describe("the ffmpeg command for the ladder", () => {
  it.each([
    [2, "2"],
    [8, "8"],
    [16, "8"],
    [64, "8"],
    [192, "8"],
  ])(
    "on %i processors, uses %s threads for each decoder, encoder and filter graph",
    (processors, expected) => {
      const threads = valuesOf(argumentsFor(processors), "threads");
      // One value for the decoder, the video filters, each audio rendition's filters and each encoder.
      expect(threads).toEqual([expected, expected, "1", ...Array(6).fill(expected)]);
    },
  );

  it("uses the configured number of threads if it is lower", () => {
    process.env.ENCODER_THREADS = "3";
    forgetSettings();
    expect(new Set(valuesOf(argumentsFor(64), "threads"))).toEqual(new Set(["3", "1"]));
    process.env.ENCODER_THREADS = "64";
    forgetSettings();
    expect(new Set(valuesOf(argumentsFor(2), "threads"))).toEqual(new Set(["8", "1"]));
  });

  it("uses the configured preset, or one that depends on whether other jobs are waiting", () => {
    const presets = () => (["urgent", "usual", "idle"] as const).map(presetFor);
    expect(presets()).toEqual(["veryfast", "veryfast", "medium"]);
    process.env.ENCODER_PRESET = "superfast";
    forgetSettings();
    expect(presets()).toEqual(["superfast", "superfast", "superfast"]);
  });
});
