import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseSummary } from "~/features/processing/kinds/loudness.server";
import { enqueueMissingInLibrary } from "~/features/processing/queue/enqueue.server";
import { findPublished } from "~/features/watch/video.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { sqliteHandle } from "~db/client.server";
import { addToLibrary, jobRows, videoRow, workUntilIdle } from "../../encode-library";
import { type Clip, makeClip } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

/**
 * Returns a tone. A full-scale tone at 997 Hz in two channels has 0 LUFS (EBU Tech 3341), and ffmpeg's tone has an
 * eighth of that amplitude.
 */
const tone = (decibels: number) =>
  `sine=frequency=997:sample_rate=48000:duration=3,pan=stereo|c0=8*c0|c1=8*c0,volume=${decibels}dB`;

async function measured(clip: Clip) {
  const file = makeClip(site.folder, "clip", { size: "160x90", seconds: 3, ...clip });
  const id = await addToLibrary(site.uploads, file, true);
  sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind <> 'loudness'");
  await workUntilIdle();
  const [job] = jobRows(id).filter(({ kind }) => kind === "loudness");
  expect([job?.state, job?.reason]).toEqual(["done", null]);
  return videoRow(id);
}

describe.runIf(ffmpegAvailable())("a video's loudness", () => {
  it.each([-8, -23, -36])("is measured correctly for a tone of %i LUFS", async (lufs) => {
    // The audio isn't encoded in AAC, in which a tone begins with a higher peak.
    const { loudness, true_peak } = await measured({
      audioSource: tone(lufs),
      extension: "mkv",
      audio: ["flac"],
    });
    expect(Math.abs(loudness! - lufs)).toBeLessThan(0.5);
    expect(Math.abs(true_peak! - lufs)).toBeLessThan(0.7);
  });

  it("is the loudness of the default audio track", async () => {
    // The second track is louder, and is the default.
    const { loudness } = await measured({
      audioSource: tone(-30),
      extension: "mkv",
      output: [
        ...["-filter_complex", "[1:a]asplit=2[quiet][rest];[rest]volume=18dB[loud]"],
        ...["-map", "0:v", "-map", "[quiet]", "-map", "[loud]"],
        ...["-disposition:a:0", "0", "-disposition:a:1", "default"],
      ],
    });
    expect(Math.abs(loudness! + 12)).toBeLessThan(0.7);
  });

  it("is recorded as silence if the video has no audible audio, so that the volume isn't adjusted", async () => {
    const none = await measured({ audio: false });
    expect(none).toMatchObject({ loudness: -70, true_peak: null });
    expect(await findPublished(none.id)).not.toHaveProperty("loudness");
    const silent = await measured({ audioSource: "anullsrc=sample_rate=48000:duration=3" });
    expect(silent.loudness).toBe(-70);
  });

  it("is passed to the page, and is measured for older videos that don't have it yet", async () => {
    const { id } = await measured({ audioSource: tone(-23) });
    expect((await findPublished(id))?.loudness).toEqual({
      lufs: videoRow(id).loudness,
      truePeak: videoRow(id).true_peak,
    });
    sqliteHandle().exec("UPDATE videos SET loudness = NULL; DELETE FROM jobs");
    expect(await findPublished(id)).not.toHaveProperty("loudness");
    expect(await enqueueMissingInLibrary()).toBe(1);
    expect(jobRows(id).map(({ kind }) => kind)).toContain("loudness");
  });

  it("is read from ffmpeg's last summary, not from text in the file", () => {
    const summary = [
      "title: Summary:",
      "    I: -1.0 LUFS",
      "Summary:",
      "    I:         -23.4 LUFS",
    ];
    expect(parseSummary([...summary, "    Peak:       -inf dBFS"])).toEqual({
      loudness: -23.4,
      true_peak: null,
    });
    expect(parseSummary(summary)).toBeUndefined();
    expect(parseSummary([])).toBeUndefined();
    // This used to take seconds with the maximum number of output lines.
    const lines = Array.from({ length: 100 }, () => "\u2028".repeat(500));
    for (let again = 0; again < 20; again++) expect(parseSummary(lines)).toBeUndefined();
  });
});
