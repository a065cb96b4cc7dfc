import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPreview, MAX_PREVIEW_BYTES } from "~/features/processing/kinds/preview.server";
import { processImage } from "~/media/images/process-image.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { encodeArguments } from "../../encode-library";
import { ffmpeg, makeClip } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const [WIDTH, HEIGHT] = [32, 18];
/** Extracts small gray frames from a video. */
function extractFrames(file: string, rate: number, input: string[] = []): Buffer[] {
  const raw = path.join(site.folder, "frames.gray");
  const filters = `fps=${rate}:start_time=0,scale=${WIDTH}:${HEIGHT}:flags=area,format=gray`;
  ffmpeg([...input, "-i", file, "-vf", filters, "-f", "rawvideo", raw]);
  const bytes = fs.readFileSync(raw);
  const size = WIDTH * HEIGHT;
  return Array.from({ length: bytes.length / size }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}
const difference = (a: Buffer, b: Buffer) =>
  a.reduce((sum, value, at) => sum + Math.abs(value - b[at]!), 0) / a.length;

async function previewOf(video: string): Promise<string> {
  const [source, probe, task] = await encodeArguments(video);
  const { moves } = await createPreview(source, probe, task, "x");
  return path.join(path.dirname(video), moves[0]!.from);
}

describe.runIf(ffmpegAvailable())("the hover preview", () => {
  it("shows 8 consecutive seconds of the video, starting at 25 s", async () => {
    const video = makeClip(site.folder, "video", {
      videoSource: "testsrc2=size=320x180:rate=10:duration=60",
      audio: false,
    });
    const preview = await previewOf(video);
    expect(fs.statSync(preview).size).toBeLessThanOrEqual(MAX_PREVIEW_BYTES);
    const found = await probe(preview);
    expect(found).toMatchObject({ playable: true, needsFaststart: false });
    expect(found?.durationSeconds).toBeCloseTo(8, 0);
    const shown = extractFrames(preview, 5).slice(1, 39);
    const expected = extractFrames(video, 5, ["-ss", "25", "-t", "8"]).slice(1, 39);
    expect(shown).toHaveLength(38);
    const maxDifference = Math.max(...shown.map((frame, at) => difference(frame, expected[at]!)));
    expect(maxDifference).toBeLessThan(8);
    expect(difference(shown[0]!, extractFrames(video, 5)[1]!)).toBeGreaterThan(8);
  });

  it("starts in the middle of a video that is shorter than 26 s", async () => {
    const video = makeClip(site.folder, "video", {
      videoSource: "testsrc2=size=320x180:rate=10:duration=10",
      audio: false,
    });
    expect((await probe(await previewOf(video)))?.durationSeconds).toBeCloseTo(5, 1);
  });
});

it("creates the poster from the sharpest and most detailed candidate", async () => {
  const card = "testsrc2=size=640x360:rate=1:duration=1";
  const make = (name: string, filter: string) => {
    const file = path.join(site.folder, `${name}.jpg`);
    ffmpeg(["-f", "lavfi", "-i", `${card},${filter}`, "-frames:v", "1", "-q:v", "2", file]);
    return file;
  };
  const sharp = make("sharp", "null");
  const files = [
    make("blurred", "gblur=sigma=12"),
    make("pale", "eq=contrast=0.2"),
    sharp,
    make("dark", "eq=brightness=-0.7"),
    make("black", "drawbox=c=black:t=fill"),
  ];
  const target = path.join(site.folder, "poster.webp");
  const alone = path.join(site.folder, "alone.webp");
  await processImage({ kind: "poster", files, target });
  await processImage({ kind: "poster", files: [sharp], target: alone });
  expect(fs.readFileSync(target).equals(fs.readFileSync(alone))).toBe(true);
});
