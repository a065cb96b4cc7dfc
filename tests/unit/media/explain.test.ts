import { describe, expect, it } from "vitest";
import { describeFailure, parseReason } from "~/features/processing/queue/failure-reasons";

describe("the explanation of a failed job", () => {
  it("consists of a message, advice and ffmpeg's output", () => {
    const reason = describeFailure("ffmpeg could not read or convert the file.", [
      "[mov @ 0x5] moov atom not found",
    ]);
    expect(parseReason(reason)).toEqual({
      why: "The file is incomplete and can’t be played.",
      advice:
        "Upload the file again from a device that can play it, or export it as MP4 (H.264 and AAC) and upload the exported file.",
      output: "moov atom not found",
    });
  });

  it("gives advice for each known message, and refers to the log for unknown ones", () => {
    const advice = (reason: string) => parseReason(reason).advice;
    expect(advice("The disk is full.")).toMatch(/Free up disk space/);
    expect(advice("The video has no file in this library.")).toMatch(/Upload the file again/);
    expect(advice("ffmpeg is not installed any more.")).toMatch(/Install a full build/);
    expect(advice("This build of ffmpeg lacks a required encoder.")).toMatch(
      /Install a full build/,
    );
    expect(advice("The site stopped unexpectedly 5 times while running this job.")).toMatch(
      /the site’s log/,
    );
    expect(advice("ffmpeg made no progress for 60 seconds.")).toMatch(/the site’s log/);
    expect(advice("This video is encrypted (DRM), so that nobody could watch it here.")).toMatch(
      /without copy protection/,
    );
    expect(advice("This is not a video file that can be read.")).toMatch(/export it as MP4/);
    expect(parseReason("Something new.")).toEqual({
      why: "Something new.",
      advice: "Retry. If it fails again, check the site’s log.",
    });
  });
});
