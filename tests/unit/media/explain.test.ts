import { describe, expect, it } from "vitest";
import { explain, readReason } from "~/features/processing/queue/reasons";

describe("why a job failed", () => {
  it("consists of a message, advice and ffmpeg's output", () => {
    const reason = explain("ffmpeg could not read or convert the file.", [
      "[mov @ 0x5] moov atom not found",
    ]);
    expect(readReason(reason)).toEqual({
      why: "The file is cut off: its index is missing.",
      advice: "Upload the file anew from where it plays, or save it as MP4 (H.264 and AAC) first.",
      said: "moov atom not found",
    });
  });

  it("has advice for each known message, and refers to the log for unknown ones", () => {
    const advice = (reason: string) => readReason(reason).advice;
    expect(advice("The disk is full.")).toMatch(/Make room/);
    expect(advice("The video has no file in this library.")).toMatch(/Upload the file again/);
    expect(advice("ffmpeg is not installed.")).toMatch(/Install a full build/);
    expect(advice("This ffmpeg lacks an encoder that is needed.")).toMatch(/Install a full build/);
    expect(advice("The site was ended 5 times while this was being made.")).toMatch(/the log/);
    expect(advice("ffmpeg made no progress for 60 seconds.")).toMatch(/the log/);
    expect(advice("This video is encrypted (DRM) and can’t be played.")).toMatch(
      /without copy protection/,
    );
    expect(advice("This file isn’t a supported video.")).toMatch(/save it as MP4/);
    expect(readReason("Something new.")).toEqual({
      why: "Something new.",
      advice: "Try again; if it fails again, the log of the site says more.",
    });
  });
});
