import { describe, expect, it } from "vitest";
import {
  audioSegments,
  bandwidth,
  keyframePlaylist,
  masterPlaylist,
  mediaPlaylist,
  segmentsOf,
  targetDuration,
} from "~/media/encode/playlists";
import {
  constantFrameRate,
  keyframeInterval,
  rateOf,
  renditionsFor,
} from "~/media/encode/renditions.server";
import type { VideoStream } from "~/media/probe/streams";

const source = (width: number, height: number, frameRate = 25): VideoStream => ({
  index: 0,
  codec: "h264",
  profile: "High",
  width,
  height,
  rotation: 0,
  frameRate,
  pixelFormat: "yuv420p",
  hdr: false,
  interlaced: false,
});
const names = (video: VideoStream, maxHeight = 1080) =>
  renditionsFor(video, maxHeight).map(({ name }) => name);

describe("a ladder's renditions", () => {
  it.each([
    [source(1920, 1080), 1080, ["144p", "240p", "360p", "480p", "720p", "1080p"]],
    [source(1080, 1920), 1080, ["144p", "240p", "360p", "480p", "720p", "1080p"]],
    [source(3840, 2160), 1080, ["144p", "240p", "360p", "480p", "720p", "1080p"]],
    [source(3840, 2160), 2160, ["144p", "240p", "360p", "480p", "720p", "1080p", "2160p"]],
    [source(1024, 576), 1080, ["144p", "240p", "360p", "480p", "576p"]],
    [source(640, 384), 1080, ["144p", "240p", "384p"]],
    [source(1920, 800), 1080, ["144p", "240p", "360p", "480p", "800p"]],
    [source(1920, 1040), 1080, ["144p", "240p", "360p", "480p", "720p", "1040p"]],
    [source(160, 90), 1080, ["90p"]],
    [source(288, 162), 1080, ["162p"]],
    [source(320, 180), 1080, ["144p", "180p"]],
    [source(2560, 1440), 2160, ["144p", "240p", "360p", "480p", "720p", "1080p", "1440p"]],
  ])("never exceed the size of the video or the limit", (video, maxHeight, expected) => {
    expect(names(video, maxHeight)).toEqual(expected);
    for (const { width, height } of renditionsFor(video, maxHeight)) {
      expect([width % 2, height % 2]).toEqual([0, 0]);
      expect(width).toBeLessThanOrEqual(video.width + 1);
      expect(Math.abs(width / height / (video.width / video.height) - 1)).toBeLessThan(0.03);
    }
  });

  it("keep 60 frames per second at 720p and above, and half as many below", () => {
    const renditions = renditionsFor(source(1920, 1080, 60), 1080);
    expect(renditions.map(({ hasHalfFrameRate }) => hasHalfFrameRate)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(
      renditionsFor(source(1920, 1080, 30), 1080).some(({ hasHalfFrameRate }) => hasHalfFrameRate),
    ).toBe(false);
  });

  it.each([
    [1920, 800, 1080],
    [800, 1920, 1080],
    [854, 480, 1080],
    [720, 576, 1080],
    [1280, 640, 720],
    [640, 384, 1080],
  ])("include one at the video's size and frame rate: %i x %i", (width, height, maxHeight) => {
    expect(renditionsFor(source(width, height, 60), maxHeight).at(-1)).toMatchObject({
      width,
      height,
      hasHalfFrameRate: false,
    });
  });

  it.each([
    [25, "25/1"],
    [29.97, "30000/1001"],
    [59.94, "60000/1001"],
    [23.976, "24000/1001"],
    [27.3, "30000/1001"],
    [120, "60/1"],
    [12, "12/1"],
    [1, "5/1"],
  ])("have a constant frame rate: %f becomes %s", (measured, expected) => {
    const { numerator, denominator } = constantFrameRate(measured);
    expect(`${numerator}/${denominator}`).toBe(expected);
  });

  it.each([23.976, 25, 29.97, 50, 59.94, 60])(
    "have keyframes at the same positions, about every 2 s, at %f frames per second",
    (measured) => {
      const rate = constantFrameRate(measured);
      const seconds = renditionsFor(source(1920, 1080, measured), 1080).map((rendition) => {
        const { numerator, denominator } = rateOf(rendition, rate);
        return (keyframeInterval(rendition, rate) * denominator) / numerator;
      });
      expect(new Set(seconds.map((each) => each.toFixed(9))).size).toBe(1);
      expect(seconds[0]).toBeGreaterThan(1.95);
      expect(seconds[0]).toBeLessThan(2.05);
    },
  );
});

describe("playlists", () => {
  const segments = [
    { offset: 100, bytes: 4_000, duration: 4.004 },
    { offset: 4_100, bytes: 8_000, duration: 4.004 },
    { offset: 12_100, bytes: 3_000, duration: 0.2 },
  ];

  const keyframes = segments.map((segment) => ({ ...segment, bytes: segment.bytes / 10 }));

  it("state the bandwidth as defined in RFC 8216, so that a short last segment doesn't count as a peak", () => {
    expect(targetDuration(segments)).toBe(4);
    expect(bandwidth(segments)).toEqual({
      peak: Math.ceil((11_000 * 8) / 4.204),
      average: Math.ceil((15_000 * 8) / 8.208),
    });
  });

  it.each([
    [1, [2]],
    [2, [2, 2]],
    [3, [2, 2, 2]],
    [4, [2, 2, 4]],
    [7, [2, 2, 4, 4, 2]],
  ])("combine %i fragments of 2 s into segments", (count, expected) => {
    const fragments = Array.from({ length: count }, (_, index) => ({
      offset: 100 + index * 10,
      bytes: 10,
      duration: 2,
    }));
    const result = segmentsOf(fragments);
    expect(result.map(({ duration }) => duration)).toEqual(expected);
    expect(result.map(({ bytes }) => bytes)).toEqual(expected.map((seconds) => seconds * 5));
    let end = 100;
    for (const { offset, bytes } of result) {
      expect(offset).toBe(end);
      end += bytes;
    }
  });

  it("refer to byte ranges within one file", () => {
    expect(mediaPlaylist("a.mp4", 100, segments)).toContain(
      '#EXT-X-MAP:URI="a.mp4",BYTERANGE="100@0"\n#EXTINF:4.004000,\n#EXT-X-BYTERANGE:4000@100\na.mp4\n',
    );
    const codec = "avc1.64001f";
    const names = { playlist: "a.m3u8", keyframePlaylist: "a-keyframes.m3u8" };
    const what = { width: 16, height: 8, frameRate: 25, codec, segments, keyframes };
    const rendition = { ...names, ...what };
    expect(masterPlaylist([rendition], [])).toContain(
      `CODECS="${codec}",RESOLUTION=16x8,FRAME-RATE=25.000\na.m3u8\n`,
    );
    const rates = bandwidth(keyframes);
    expect(masterPlaylist([rendition], [])).toContain(
      `#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=${rates.peak},AVERAGE-BANDWIDTH=${rates.average},` +
        'CODECS="avc1.64001f",RESOLUTION=16x8,URI="a-keyframes.m3u8"\n',
    );
  });

  it.each([
    [1, [2, 2, 4, 1]],
    [1.003, [2.006, 2.006, 4.012, 1.003]],
    [0.94, [1.88, 1.88, 4.7, 0.94]],
    [5, [5, 5]],
  ])(
    "end audio segments near the ends of video segments, with fragments of %f s",
    (each, expected) => {
      const pictures = [2, 2, 4, 1].map((duration) => ({ offset: 0, bytes: 1, duration }));
      const count = Math.ceil(9 / each - 0.1);
      const fragments = Array.from({ length: count }, (_, index) => ({
        offset: 100 + index * 10,
        bytes: 10,
        duration: each,
      }));
      const result = audioSegments(fragments, pictures);
      expect(result.map(({ duration }) => Number(duration.toFixed(3)))).toEqual(expected);
      let end = 100;
      for (const { offset, bytes } of result) {
        expect(offset).toBe(end);
        end += bytes;
      }
      expect(end).toBe(100 + count * 10);
    },
  );

  it("list the byte range of each keyframe", () => {
    const playlist = keyframePlaylist("a.mp4", 100, keyframes);
    expect(playlist).toContain("\n#EXT-X-I-FRAMES-ONLY\n");
    expect(playlist).not.toContain("INDEPENDENT");
    expect(playlist.match(/BYTERANGE:\S+/g)).toEqual([
      "BYTERANGE:400@100",
      "BYTERANGE:800@4100",
      "BYTERANGE:300@12100",
    ]);
  });
});
