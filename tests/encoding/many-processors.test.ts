import fs from "node:fs";
import os from "node:os";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { createLadder } from "../encode-library";
import { makeClip } from "../media-clips";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
  vi.spyOn(os, "availableParallelism").mockReturnValue(64);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await site.remove();
});

describe.runIf(ffmpegAvailable())("a machine with 64 processors", () => {
  it("encodes the full ladder within ffmpeg's memory limit", async () => {
    const clip = makeClip(site.folder, "video", { size: "1920x1080", seconds: 1, audio: false });
    const files = fs.readdirSync(await createLadder(clip)).filter((name) => name.endsWith(".mp4"));
    expect(files).toHaveLength(6);
  }, 120_000);
});
