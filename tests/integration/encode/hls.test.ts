import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Parser } from "m3u8-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { forgetSettings } from "~/platform/settings.server";
import { createLadder } from "../../encode-library";
import { ffmpeg, ffprobe, makeClip } from "../../media-clips";

/** A flash and a beep, both at 5 s, in a video with 60 frames per second whose audio begins 1 s late. */
const FLASH =
  "color=gray:size=1280x720:rate=60:duration=9,drawbox=color=white:t=fill:enable='between(t,5,5.2)'";
const BEEP = "aevalsrc='if(between(t,4,4.2),sin(6283*t),0)':sample_rate=48000:duration=8";

/** The maximum difference in seconds between a measured time and the playlist: one tick of a common timescale. */
const ROUNDING = 0.005;
const MAX_SYNC = 0.02;

interface Segment {
  uri: string;
  resolvedUri: string;
  duration: number;
  byterange: { offset: number; length: number };
  map: { uri: string; byterange: { offset: number; length: number } };
}

interface Playlist {
  segments: Segment[];
  targetDuration: number;
  endList: boolean;
  playlistType: string;
  playlists: { uri: string; attributes: Record<string, unknown> }[];
  mediaGroups: { AUDIO: Record<string, Record<string, { uri: string }>> };
  iFramePlaylists: { uri: string; attributes: Record<string, unknown> }[];
  iFramesOnly?: boolean;
}

let folder: string;
let ladder: string;
let master: Playlist;
/** The video renditions, with their names and playlists. */
let renditions: { name: string; playlist: Playlist; text: string }[];
let audioRenditions: typeof renditions;
/** Returns only the smallest and the largest rendition, because checking all of them takes a minute. */
const smallestAndLargest = () => [renditions[0]!, renditions.at(-1)!];

beforeAll(async () => {
  if (!ffmpegAvailable()) return;
  process.env.ENCODER_PRESET = "superfast";
  forgetSettings();
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "hls-test-"));
  const clip = makeClip(folder, "flash", {
    videoSource: FLASH,
    extension: "mkv",
    video: ["libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "60"],
    audio: false,
  });
  const source = path.join(folder, "video.mkv");
  const late = ["-itsoffset", "1", "-f", "lavfi", "-i", BEEP];
  ffmpeg(["-i", clip, ...late, "-map", "0", "-map", "1", "-c:v", "copy", "-c:a", "flac", source]);
  ladder = await createLadder(source);
  master = parse("master.m3u8");
  const read = (uri: string) => ({
    name: uri.replace(".m3u8", ""),
    playlist: parse(uri),
    text: fs.readFileSync(path.join(ladder, uri), "utf8"),
  });
  renditions = videoVariants(master).map(({ uri }) => read(uri));
  audioRenditions = ["audio-1.m3u8", "audio-1-low.m3u8"].map(read);
}, 120_000);
afterAll(() => {
  delete process.env.ENCODER_PRESET;
  forgetSettings();
  if (folder) fs.rmSync(folder, { recursive: true, force: true });
});

function parse(name: string): Playlist {
  const parser = new Parser();
  parser.push(fs.readFileSync(path.join(ladder, name), "utf8"));
  parser.end();
  return parser.manifest as unknown as Playlist;
}

/**
 * Returns the variants that have video. They are sorted by height, because the playlist lists the start rendition
 * first.
 */
function videoVariants({ playlists }: Playlist) {
  const height = ({ attributes }: (typeof playlists)[0]) =>
    (attributes.RESOLUTION as { height: number } | undefined)?.height ?? 0;
  return playlists.filter(height).sort((a, b) => height(a) - height(b));
}

describe.runIf(ffmpegAvailable())("an adaptive stream", () => {
  it("lists each rendition with its actual size, frame rate and codecs", async () => {
    expect(renditions.map(({ name }) => name)).toEqual(["144p", "240p", "360p", "480p", "720p"]);
    for (const { uri, attributes } of videoVariants(master)) {
      const file = path.join(ladder, uri.replace(".m3u8", ".mp4"));
      const found = (await probe(file))!;
      expect(attributes.RESOLUTION).toEqual({
        width: found.video.width,
        height: found.video.height,
      });
      expect(Number(attributes["FRAME-RATE"])).toBeCloseTo(found.video.frameRate, 1);
      const shown = ffprobe(file, [
        "-show_entries",
        "stream=profile,level",
        "-select_streams",
        "v",
      ]);
      const level = Number(/level=(\d+)/.exec(shown)?.[1]);
      expect(shown).toContain("profile=High");
      const hex = level.toString(16).padStart(2, "0");
      expect(attributes.CODECS).toBe(`avc1.6400${hex},mp4a.40.2`);
    }
    const rates = videoVariants(master).map(({ attributes }) => Number(attributes["FRAME-RATE"]));
    expect(rates).toEqual([30, 30, 30, 30, 60]);
  });

  it("lists the 240p rendition first and the audio-only variant last", () => {
    const names = master.playlists.map(({ uri }) => uri);
    expect(names[0]).toBe("240p.m3u8");
    expect(names.at(-1)).toBe("audio-1-low.m3u8");
    expect(master.playlists.at(-1)!.attributes).toMatchObject({
      CODECS: "mp4a.40.2",
      AUDIO: "low",
    });
  });

  it("stores each track in its own file, and has audio for every video rendition", () => {
    for (const { name } of [...renditions, ...audioRenditions]) {
      const kinds = ffprobe(path.join(ladder, `${name}.mp4`), [
        ...["-show_entries", "stream=codec_type", "-of", "csv=p=0"],
      ]);
      expect(kinds.trim()).toBe(name.startsWith("audio") ? "audio" : "video");
    }
    expect(master.mediaGroups.AUDIO).toMatchObject({
      stereo: { Audio: { default: true, autoselect: true, uri: "audio-1.m3u8" } },
      low: { Audio: { default: true, autoselect: true, uri: "audio-1-low.m3u8" } },
    });
    for (const { uri, attributes } of videoVariants(master)) {
      expect(attributes.AUDIO).toBe(uri === "144p.m3u8" ? "low" : "stereo");
    }
    expect(fs.readFileSync(path.join(ladder, "master.m3u8"), "utf8")).toMatch(/CHANNELS="2"/);
  });

  it("has a video rendition that is suitable for a 192 kbit/s connection", () => {
    const { BANDWIDTH: peak } = videoVariants(master)[0]!.attributes as Record<string, number>;
    expect(peak).toBeLessThan(192_000);
  });

  it("declares bandwidths that no part of the stream exceeds", () => {
    for (const [index, { playlist, name }] of renditions.entries()) {
      const { BANDWIDTH: peak, "AVERAGE-BANDWIDTH": average } = videoVariants(master)[index]!
        .attributes as Record<string, number>;
      const audio = audioRenditions[name === "144p" ? 1 : 0]!.playlist.segments;
      const bits = playlist.segments.map(
        ({ byterange, duration }, at) =>
          (byterange.length + (audio[at]!.byterange.length * duration) / audio[at]!.duration) * 8,
      );
      const all = bits.reduce((sum, each) => sum + each, 0);
      const seconds = playlist.segments.reduce((sum, { duration }) => sum + duration, 0);
      expect(Math.abs(Number(average) / (all / seconds) - 1)).toBeLessThan(0.01);
      expect(Number(peak)).toBeGreaterThanOrEqual(Number(average));
      for (const [at, each] of bits.slice(0, 2).entries()) {
        expect(Number(peak) + 1).toBeGreaterThanOrEqual(each / playlist.segments[at]!.duration);
      }
    }
  });

  it("has complete playlists with byte ranges that comply with RFC 8216", () => {
    const targets = [...renditions, ...audioRenditions].map(
      ({ playlist }) => playlist.targetDuration,
    );
    // §6.2.4.
    expect(new Set(targets).size).toBe(1);
    for (const { name, playlist, text } of [...renditions, ...audioRenditions]) {
      expect(text.startsWith("#EXTM3U\n")).toBe(true);
      // §4.3.2.5 and §7: EXT-X-MAP in a playlist without EXT-X-I-FRAMES-ONLY requires version 6 or higher.
      expect(Number(/#EXT-X-VERSION:(\d+)/.exec(text)?.[1])).toBeGreaterThanOrEqual(6);
      expect(playlist).toMatchObject({ endList: true, playlistType: "VOD" });
      let end = playlist.segments[0]!.map.byterange.length;
      for (const { uri, duration, byterange, map } of playlist.segments) {
        expect(Math.round(duration)).toBeLessThanOrEqual(playlist.targetDuration);
        expect([uri, map.uri]).toEqual([`${name}.mp4`, `${name}.mp4`]);
        expect(byterange.offset).toBe(end);
        end = byterange.offset + byterange.length;
      }
      expect(end).toBeLessThanOrEqual(fs.statSync(path.join(ladder, `${name}.mp4`)).size);
    }
  });

  it("has segments that begin at the same times in all renditions; the first two last 2 s, and the others 4 s", () => {
    const starts = renditions.map(({ playlist }) => playlist.segments.map((each) => each.duration));
    for (const each of starts) expect(each.slice(0, -1)).toEqual([2, 2, 4]);
    for (const each of starts) expect(each.at(-1)).toBeCloseTo(1, 1);
    for (const { playlist } of audioRenditions) {
      let [end, videoEnd] = [0, 0];
      expect(playlist.segments).toHaveLength(starts[0]!.length);
      for (const [at, { duration }] of playlist.segments.entries()) {
        end += duration;
        videoEnd += starts[0]![at]!;
        // The tolerance is half the length of an audio fragment.
        expect(Math.abs(end - videoEnd)).toBeLessThan(0.51);
      }
    }
  });

  it("has segments that can be played on their own and begin with a keyframe at the playlist's start time", () => {
    for (const { name, playlist } of smallestAndLargest()) {
      const whole = fs.readFileSync(path.join(ladder, `${name}.mp4`));
      const cut = ({ offset, length }: { offset: number; length: number }) =>
        whole.subarray(offset, offset + length);
      let start = 0;
      for (const { byterange, map, duration } of playlist.segments) {
        const alone = path.join(folder, "segment.mp4");
        fs.writeFileSync(alone, Buffer.concat([cut(map.byterange), cut(byterange)]));
        const packets = ffprobe(alone, [
          ...["-select_streams", "v", "-show_entries", "packet=pts_time,flags", "-of", "csv=p=0"],
        ])
          .trim()
          .split("\n");
        expect(packets[0]).toMatch(/,K/);
        const keyframes = packets.filter((line) => /,K/.test(line)).map(Number.parseFloat);
        expect(keyframes).toHaveLength(duration > 2.1 ? 2 : 1);
        for (const [index, time] of keyframes.entries()) {
          expect(Math.abs(time - start - index * 2)).toBeLessThan(ROUNDING);
        }
        ffmpeg(["-xerror", "-i", alone, "-f", "null", "-"]);
        start += duration;
      }
    }
  });

  it("lists each rendition's keyframes as byte ranges that each contain one decodable frame", () => {
    const names = renditions.map(({ name }) => `${name}-keyframes.m3u8`);
    expect(master.iFramePlaylists.map(({ uri }) => uri)).toEqual(names);
    for (const { name, playlist } of smallestAndLargest()) {
      const keyframes = parse(`${name}-keyframes.m3u8`);
      expect(keyframes).toMatchObject({ iFramesOnly: true, endList: true, playlistType: "VOD" });
      const [inKeyframes, inSegments] = [keyframes, playlist].map(({ segments }) =>
        segments.reduce((sum, { duration }) => sum + duration, 0),
      );
      expect(inKeyframes).toBeCloseTo(inSegments!, 3);
      for (const { duration } of keyframes.segments) expect(duration).toBeLessThan(2.1);
      const whole = fs.readFileSync(path.join(ladder, `${name}.mp4`));
      const cut = ({ offset, length }: { offset: number; length: number }) =>
        whole.subarray(offset, offset + length);
      for (const { byterange, map } of keyframes.segments) {
        const alone = path.join(folder, "keyframe.mp4");
        fs.writeFileSync(alone, Buffer.concat([cut(map.byterange), cut(byterange)]));
        const [first] = ffprobe(alone, [
          ...["-select_streams", "v", "-show_entries", "packet=flags", "-of", "csv=p=0"],
        ]).split("\n");
        expect(first).toMatch(/^K/);
        const image = `${alone}.png`;
        ffmpeg(["-xerror", "-i", alone, "-frames:v", "1", image]);
        expect(fs.statSync(image).size).toBeGreaterThan(0);
      }
    }
  });

  it("has edit lists, so that players skip the encoder delay", () => {
    for (const { name } of [...renditions, ...audioRenditions]) {
      const file = fs.readFileSync(path.join(ladder, `${name}.mp4`));
      const edits = [...boxesNamed(file, "elst")].map((at) => ({
        // ISO/IEC 14496-12 §8.6.6: version and flags, entry count, segment duration, then the media time.
        count: file.readUInt32BE(at + 4),
        mediaTime:
          file[at] === 1 ? Number(file.readBigInt64BE(at + 16)) : file.readInt32BE(at + 12),
      }));
      expect(edits.map(({ count }) => count)).toEqual([1]);
      if (name.startsWith("audio")) {
        expect(edits[0]!.mediaTime).toBe(1_024);
        continue;
      }
      // §8.8.8: flags, sample count, data offset, first sample flags, then each sample's size and time offset.
      const run = file.indexOf("trun", 0, "latin1") + 4;
      const flags = file.readUInt32BE(run) & 0xffffff;
      expect(flags & 0x800).toBe(0x800);
      const optional = [0x01, 0x04, 0x100, 0x200, 0x400].filter((flag) => flags & flag).length;
      expect(file.readInt32BE(run + 8 + optional * 4)).toBe(edits[0]!.mediaTime);
      expect(edits[0]!.mediaTime).toBeGreaterThan(0);
    }
  });

  it("consists only of media files and playlists", () => {
    const others = fs.readdirSync(ladder).filter((name) => !/\.(?:mp4|m3u8)$/.test(name));
    expect(others).toEqual([]);
  });

  it("keeps audio and video in sync within 20 ms", () => {
    for (const { name } of smallestAndLargest()) {
      expect(Math.abs(flashOf(path.join(ladder, `${name}.mp4`)) - 5)).toBeLessThan(MAX_SYNC);
    }
    for (const { name } of audioRenditions) {
      expect(Math.abs(beepOf(path.join(ladder, `${name}.mp4`)) - 5)).toBeLessThan(MAX_SYNC);
    }
  });

  it("keeps audio and video in sync when ffmpeg reads the main playlist", () => {
    const whole = path.join(ladder, "master.m3u8");
    const listed = ffprobe(whole, ["-show_entries", "stream=codec_type", "-of", "csv=p=0"]);
    expect(listed).toContain("video");
    expect(listed).toContain("audio");
    // ffmpeg reads all renditions for each of these measurements.
    expect(Math.abs(flashOf(whole) - 5)).toBeLessThan(MAX_SYNC);
    expect(Math.abs(beepOf(whole) - 5)).toBeLessThan(MAX_SYNC);
  });

  it.each([5, 24, 50])("keeps audio and video in sync at %i frames per second", async (rate) => {
    const picture = FLASH.replace("1280x720", "320x180").replace("rate=60", `rate=${rate}`);
    const sound = BEEP.replace("t,4,4.2", "t,5,5.2").replace("duration=8", "duration=9");
    const source = makeClip(folder, `rate-${rate}`, { videoSource: picture, audioSource: sound });
    const master = path.join(await createLadder(source), "master.m3u8");
    expect(Math.abs(flashOf(master) - 5)).toBeLessThan(MAX_SYNC);
    expect(Math.abs(beepOf(master) - 5)).toBeLessThan(MAX_SYNC);
  });
});

/** Returns the content offsets of all boxes of the given type. */
function* boxesNamed(file: Buffer, name: string) {
  for (
    let at = file.indexOf(name, 0, "latin1");
    at >= 0;
    at = file.indexOf(name, at + 4, "latin1")
  ) {
    yield at + 4;
  }
}

/** Returns the time, in seconds, at which ffmpeg finds the flash in a file or a stream. */
function flashOf(file: string, index = 0): number {
  const bright = path.join(folder, "bright.txt");
  ffmpeg([
    ...["-copyts", "-i", file, "-map", `0:v:${index}`, "-an"],
    ...["-vf", `signalstats,metadata=print:file=${bright}:key=lavfi.signalstats.YAVG`],
    ...["-f", "null", "-"],
  ]);
  const lights = [
    ...fs.readFileSync(bright, "utf8").matchAll(/pts_time:(\S+)\n[^\n]*YAVG=(\S+)/g),
  ].map(([, time, light]) => ({ time: Number(time), light: Number(light) }));
  expect(lights[0]!.time).toBeLessThan(ROUNDING);
  return lights.find(({ light }) => light > 200)?.time ?? Number.NaN;
}

/** Returns the time, in seconds, at which ffmpeg finds the beep. */
function beepOf(file: string, index = 0): number {
  const raw = path.join(folder, "beep.pcm");
  // Without this filter, ffmpeg would shift all times so that the silence before the audio starts at 0.
  const steady = ["-af", "aresample=async=1:first_pts=0"];
  ffmpeg([
    ...["-copyts", "-i", file, "-map", `0:a:${index}`, "-vn", ...steady, "-ac", "1"],
    ...["-f", "s16le", raw],
  ]);
  const bytes = fs.readFileSync(raw);
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  return samples.findIndex((sample) => Math.abs(sample) > 3_000) / 48_000;
}
