import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  COMPARED_FRAMES,
  hashComparedFrames,
} from "~/features/processing/comparison/hash-frames.server";
import { trimVideo } from "~/features/processing/kinds/trim.server";
import { conversionOf, transcode } from "~/media/encode/transcode.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import {
  addToLibrary,
  createLadder,
  diskPath,
  encodeArguments,
  jobStates,
  playableEncodeArguments,
  videoRow,
  workUntilIdle,
} from "../encode-library";
import { type Clip, ffprobe, makeClip } from "../media-clips";
import { useTemporarySite } from "../temporary-site";
import { beep, beepsIn, FLASH_FRAME_RATE, flash, flashesIn } from "./flashes";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

/** The maximum drift. At the joins, ffmpeg corrects overlapping audio only once the drift reaches 0.1 s. */
const MAX_DRIFT_SECONDS = 0.12;

const clipOf = (seconds: number, at: number, more: Clip = {}): Clip => ({
  extension: "ts",
  seconds,
  videoSource: flash(at, seconds),
  audioSource: beep(at, seconds),
  ...more,
});
const X264 = ["libx264", "-preset", "veryfast", "-g", "50", "-pix_fmt", "yuv420p"];
const PART = clipOf(6, 3, { video: X264 });
const later = (seconds: number): Clip => ({
  ...PART,
  output: ["-output_ts_offset", String(seconds)],
});
const MPEG2_TS = { ...PART, video: ["mpeg2video"], audio: ["mp2"] };
const VOB = { ...PART, extension: "vob", video: ["mpeg2video"], audio: ["ac3"] };
const AVCHD = { ...PART, extension: "m2ts", audio: ["ac3"], output: ["-mpegts_m2ts_mode", "1"] };
const HOLE = clipOf(14, 1, {
  video: [...X264, "-vf", "select='not(between(t,2,13))'", "-vsync", "passthrough"],
});
const OTHER_SIZE = clipOf(4, 3, { video: X264, videoSource: flash(3, 4, "320x180") });
const OTHER_SOUND = clipOf(4, 3, { video: X264, audioSource: beep(3, 4, 44_100) });

/** Concatenates the bytes of several clips, as `cat` does. */
function join(parts: Clip[]): string {
  const files = parts.map((part, index) => makeClip(site.folder, `part-${index}`, part));
  const joined = path.join(site.folder, `joined.${parts[0]!.extension}`);
  fs.writeFileSync(joined, Buffer.concat(files.map((file) => fs.readFileSync(file))));
  return joined;
}

const AAC_FRAME_SECONDS = 1_024 / 48_000;

function framesOfAudio(file: string): number {
  const count = ["-count_packets", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0"];
  return Number.parseInt(ffprobe(file, ["-select_streams", "a:0", ...count]), 10);
}

type Row = [name: string, parts: Clip[], seconds: number, flashes: number[]];

const ROWS: Row[] = [
  ["H.264 TS four times", [PART, PART, PART, PART], 24, [3, 9, 15, 21]],
  ["H.264 TS with a second part of another size", [PART, OTHER_SIZE], 10, [3, 9]],
  ["MPEG-2 TS three times", [MPEG2_TS, MPEG2_TS, MPEG2_TS], 18, [3, 9, 15]],
  ["VOB twice", [VOB, VOB], 12, [3, 9]],
  ["AVCHD twice", [AVCHD, AVCHD], 12, [3, 9]],
  ["a second part that starts 3 s after the first", [PART, later(3)], 12, [3, 9]],
  ["a second part 100 s later", [PART, later(100)], 12, [3, 9]],
  ["a second part one hour later", [PART, later(3_600)], 12, [3, 9]],
  ["a second part 26 hours later", [PART, later(93_600)], 12, [3, 9]],
  ["a second part earlier than the first", [later(3_600), PART], 12, [3, 9]],
  ["a jump there and back", [PART, later(1_000), later(12)], 18, [3, 9, 15]],
  ["a second part with another sample rate", [PART, OTHER_SOUND], 10, [3, 9]],
];

describe.runIf(ffmpegAvailable())("a file whose timestamps restart or jump", () => {
  it.each(ROWS)(
    "plays to the end, with audio in sync: %s",
    async (_, parts, seconds, flashes) => {
      const file = join(parts);
      const [source, found, task] = await playableEncodeArguments(file);
      expect(Math.abs(found.durationSeconds - seconds)).toBeLessThan(0.1);

      await transcode(source, found, task);
      const output = path.join(task.folder, "playable.mp4");
      expectComplete(output, output, seconds, flashes);

      const stream = await createLadder(file);
      const names = fs.readdirSync(stream);
      const videos = names.filter((name) => /^\d.*\.mp4$/.test(name));
      expect(videos).not.toEqual([]);
      for (const name of videos) {
        const audio = path.join(stream, "audio-1.mp4");
        expectComplete(path.join(stream, name), audio, seconds, flashes);
      }
      for (const name of names.filter((each) => /^(\d|audio-1).*\.m3u8$/.test(each))) {
        const playlist = fs.readFileSync(path.join(stream, name), "utf8");
        const durations = [...playlist.matchAll(/^#EXTINF:([\d.]+)/gm)].map(([, each]) =>
          Number(each),
        );
        const total = durations.reduce((sum, each) => sum + each, 0);
        expect(Math.abs(total - seconds), name).toBeLessThan(0.15);
      }
    },
    120_000,
  );

  function expectComplete(video: string, audio: string, seconds: number, flashes: number[]): void {
    const flashTimes = flashesIn(video);
    const beeps = beepsIn(audio);
    expect(Math.abs(flashTimes.frames - seconds * FLASH_FRAME_RATE)).toBeLessThanOrEqual(2);
    expect(Math.abs(beeps.seconds - seconds)).toBeLessThan(0.1);
    // The duration is computed as in a player: each packet lasts as long as its samples.
    expect(Math.abs(framesOfAudio(audio) * AAC_FRAME_SECONDS - seconds)).toBeLessThan(0.15);
    expect(flashTimes.times).toHaveLength(flashes.length);
    expect(beeps.times).toHaveLength(flashes.length);
    for (const [index, at] of flashes.entries()) {
      expect(Math.abs(flashTimes.times[index]! - at)).toBeLessThan(0.1);
      expect(Math.abs(beeps.times[index]! - flashTimes.times[index]!)).toBeLessThan(
        MAX_DRIFT_SECONDS,
      );
    }
  }

  it("gets a duration and a storyboard that cover all of its parts", async () => {
    const id = await addToLibrary(site.uploads, join([MPEG2_TS, MPEG2_TS]), false);
    expect(videoRow(id).duration).toBe("0:00");
    await workUntilIdle();
    expect(new Set(Object.values(jobStates(id)))).toEqual(new Set(["done", "waiting"]));
    const row = videoRow(id);
    expect(row.duration).toBe("0:12");
    const { durationSeconds } = (await probe(diskPath(site.uploads, row.video_url)))!;
    expect(Math.abs(durationSeconds - 12)).toBeLessThan(0.1);
    const storyboard = fs.readFileSync(diskPath(site.uploads, row.storyboard_url), "utf8");
    expect(storyboard.match(/--> (00:)?00:1[12]\.\d+/)).not.toBeNull();
  }, 120_000);

  it("is trimmed to the selected range", async () => {
    const [source, found, task] = await playableEncodeArguments(join([PART, PART]));
    const artifact = await trimVideo({ ...source, trim: { start: 7, end: 11 } }, found, task);
    const output = path.join(task.folder, artifact.moves[0]!.from);
    expectComplete(output, output, 4, [2]);
  });

  it("is compared with the block list based on frames from all of its parts", async () => {
    const first = { ...PART, videoSource: "testsrc=size=160x90:rate=25:duration=6" };
    const other = { ...PART, videoSource: "mandelbrot=size=160x90:rate=25,trim=end=6" };
    const [source, found, task] = await encodeArguments(join([first, other]));
    const { hashes } = await hashComparedFrames(source.file, found, task);
    const bytes = hashes.length / COMPARED_FRAMES;
    const frames = Array.from({ length: COMPARED_FRAMES }, (_, index) =>
      Buffer.from(hashes.subarray(index * bytes, (index + 1) * bytes)).toString("hex"),
    );
    const half = COMPARED_FRAMES / 2;
    const shown = new Set(frames.slice(half + 1));
    expect(shown).not.toContain("0".repeat(2 * bytes));
    for (const frame of frames.slice(0, half - 1)) expect(shown).not.toContain(frame);
  });

  it("has only an estimated duration, marked as such, if the file is too large to measure", async () => {
    const file = join([PART, later(93_600)]);
    expect(await probe(file, { measureUpTo: 1_000 })).toMatchObject({ isEstimated: true });
    expect(await probe(file, { measureUpTo: 1_000_000_000 })).not.toHaveProperty("isEstimated");
  });
});

describe.runIf(ffmpegAvailable())("a file with continuous timestamps", () => {
  it.each<[string, Clip, number?]>([
    ["a transport stream", PART],
    ["a transport stream whose 33 bits overflow", later(95_439)],
    ["a program stream", VOB],
    ["a transport stream without frames for 11 s", HOLE, 14],
  ])("isn't treated as a file with timestamp jumps: %s", async (_, clip, seconds = 6) => {
    const found = (await probe(makeClip(site.folder, "whole", clip)))!;
    expect(Math.abs(found.durationSeconds - seconds)).toBeLessThan(0.1);
    expect(found).not.toHaveProperty("dtsDeltaThreshold");
  });

  it("is copied into an MP4", async () => {
    const found = (await probe(makeClip(site.folder, "whole", PART)))!;
    expect(conversionOf(found)).toEqual({ video: "copy", audio: "copy" });
  });
});
