import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { conversionOf } from "~/media/encode/transcode.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { sqliteHandle } from "~db/client.server";
import { appendVideo, type Edit, setEdits } from "../edited-mp4";
import { addToLibrary, diskPath, jobStates, videoRow, workUntilIdle } from "../encode-library";
import { ffmpeg, makeClip } from "../media-clips";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const RATE = 25;
const H264 = ["libx264", "-pix_fmt", "yuv420p", "-g", "25"];
const SMALL = { size: "160x90" };

/** Creates a file with two sample descriptions: two H.264 encodings with different options. */
function joinedClip(name = "joined"): string {
  const part = { ...SMALL, seconds: 2, audio: false as const };
  const file = makeClip(site.folder, name, { ...part, video: [...H264, "-preset", "ultrafast"] });
  const video = [...H264, "-preset", "veryfast", "-bf", "0"];
  appendVideo(file, makeClip(site.folder, "second", { ...part, video }));
  return file;
}

function editedClip(edits: readonly Edit[], seconds: number, track?: "vide" | "soun"): string {
  const video = [...H264, "-preset", "veryfast", "-bf", "2"];
  const file = makeClip(site.folder, "edited", { ...SMALL, seconds, video });
  setEdits(file, edits, track);
  return file;
}

/**
 * Returns each frame as 16×9 gray samples. These are enough to tell the frames of the test card apart, even after
 * re-encoding.
 */
function frames(file: string): Buffer[] {
  const raw = path.join(site.folder, "frames.raw");
  const scaled = ["-vf", "scale=16:9:flags=area,format=gray"];
  ffmpeg(["-i", file, "-map", "0:v", ...scaled, "-f", "rawvideo", raw]);
  const bytes = fs.readFileSync(raw);
  return Array.from({ length: bytes.length / 144 }, (_, index) =>
    bytes.subarray(index * 144, (index + 1) * 144),
  );
}

function expectSameFrames(encoded: Buffer[], original: Buffer[]): void {
  expect(encoded).toHaveLength(original.length);
  for (const [index, frame] of encoded.entries()) {
    const worst = Math.max(...frame.map((value, at) => Math.abs(value - original[index]![at]!)));
    expect(worst, `frame ${index}`).toBeLessThan(30);
  }
}

/** Returns hashes of the decoded frames or samples, with their timestamps. */
const decoded = (file: string, stream: "v" | "a") =>
  ffmpeg(["-i", file, "-map", `0:${stream}`, "-f", "framemd5", "-"]);

async function playedFileOf(source: string): Promise<string> {
  const id = await addToLibrary(site.uploads, source, (await probe(source))!.playable);
  sqliteHandle().exec("DELETE FROM jobs WHERE kind NOT IN ('transcode', 'ladder')");
  await workUntilIdle();
  expect(Object.entries(jobStates(id)).filter(([, state]) => state === "failed")).toEqual([]);
  return diskPath(site.uploads, videoRow(id).video_url);
}

describe.runIf(ffmpegAvailable())("a file whose copy would play differently", () => {
  it("is encoded if its video has two sample descriptions", async () => {
    const source = joinedClip();
    const original = frames(source);
    expect(original).toHaveLength(4 * RATE);
    expectSameFrames(frames(await playedFileOf(source)), original);
  });

  it.each<[string, Edit[], number]>([
    [
      "two parts are shown",
      [
        { from: 0, duration: 1 },
        { from: 3, duration: 2 },
      ],
      3,
    ],
    ["a part is repeated", Array(3).fill({ from: 0, duration: 2 }), 6],
    [
      "a part repeats after an empty edit",
      [{ from: -1, duration: 0.4 }, ...Array(2).fill({ from: 0, duration: 2 })],
      4,
    ],
  ])("is encoded if its edit list has several edits: %s", async (_, edits, seconds) => {
    const source = editedClip(edits, 5);
    const found = (await probe(source))!;
    expect(found.durationSeconds).toBeCloseTo(seconds, 1);
    expect(conversionOf(found)).toEqual({ video: "encode", audio: "encode" });
    expectSameFrames(frames(await playedFileOf(source)), frames(source));
  });

  it.each<[string, Edit]>([
    ["ends early", { from: 0, duration: 2.2 }],
    ["begins late and ends early", { from: 1.52, duration: 2 }],
    ["ends a frame early", { from: 0, duration: 3.96 }],
  ])("is encoded if its only edit %s", async (_, edit) => {
    const source = editedClip([edit], 4);
    expect(await probe(source)).toMatchObject({ playable: false, copyable: false });
    expectSameFrames(frames(await playedFileOf(source)), frames(source));
  });

  it("is encoded if only its audio has several edits", async () => {
    const source = editedClip(
      [
        { from: 0, duration: 1 },
        { from: 3, duration: 3 },
      ],
      4,
      "soun",
    );
    const found = (await probe(source))!;
    expect(found).toMatchObject({ playable: false, copyable: false });
    expect(conversionOf(found)).toEqual({ video: "encode", audio: "encode" });
  });
});

describe.runIf(ffmpegAvailable())("a file that is copied instead of encoded", () => {
  it.each<[string, Edit[], "vide" | "soun" | undefined]>([
    [
      "its video begins late",
      [
        { from: -1, duration: 0.4 },
        { from: 0, duration: 4 },
      ],
      "vide",
    ],
    [
      "its audio begins late",
      [
        { from: -1, duration: 0.4 },
        { from: 0, duration: 4 },
      ],
      "soun",
    ],
    [
      "both begin late",
      [
        { from: -1, duration: 0.4 },
        { from: 0, duration: 4 },
      ],
      undefined,
    ],
    ["it begins between two keyframes", [{ from: 1.52, duration: 2.48 }], undefined],
  ])("plays like the original if %s", async (_, edits, track) => {
    const source = editedClip(edits, 4, track);
    expect(await probe(source)).toMatchObject({ playable: true, copyable: true });
    const played = await playedFileOf(source);
    expect(fs.readFileSync(played).equals(fs.readFileSync(source))).toBe(false);
    expect(decoded(played, "v")).toBe(decoded(source, "v"));
  });
});
