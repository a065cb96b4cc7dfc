import { describe, expect, it, vi } from "vitest";
import { efficientCodecs, playedCodecFilter } from "~/features/player/efficient-codec";
import { type AddedRendition, addToMaster } from "~/features/processing/kinds/add-codecs.server";
import { av1Name, hevcName } from "~/media/encode/fragments.server";
import { parseSettings } from "~/platform/settings.server";

describe("a codec string", () => {
  it.each([
    ["81040d00", "av01.0.04M.08"],
    ["81088c00", "av01.0.08H.08"],
    ["81054d00", "av01.0.05M.10"],
    ["814d6d00", "av01.2.13M.12"],
  ])("is derived from av1C: %s", (av1C, name) => {
    expect(av1Name(Buffer.from(av1C, "hex"))).toBe(name);
  });

  it.each([
    ["01 01 60000000 900000000000 5d", "hvc1.1.6.L93.90"],
    ["01 02 20000000 b00000000000 78", "hvc1.2.4.L120.B0"],
    ["01 21 60000000 000000000000 99", "hvc1.1.6.H153"],
  ])("is derived from hvcC: %s", (hvcC, name) => {
    expect(hevcName(Buffer.from(hvcC.replaceAll(" ", ""), "hex"))).toBe(name);
  });
});

const segments = (bytes: number) => [
  { offset: 100, bytes, duration: 2 },
  { offset: 100 + bytes, bytes, duration: 2 },
];
const ADDED: AddedRendition = {
  ...{ name: "240p", h264Segments: segments(1_000), segments: segments(600) },
  ...{ file: "av1-240p-x.mp4", playlist: "av1-240p-x.m3u8" },
  ...{ keyframePlaylist: "av1-240p-x-keyframes.m3u8", keyframes: segments(100) },
  ...{ codec: "av01.0.00M.08" },
};
const MASTER = `#EXTM3U
#EXT-X-STREAM-INF:BANDWIDTH=6000,AVERAGE-BANDWIDTH=5500,CODECS="avc1.640015,mp4a.40.2",RESOLUTION=426x240,FRAME-RATE=25.000,AUDIO="stereo"
240p.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=9000,AVERAGE-BANDWIDTH=8500,CODECS="avc1.640015,ac-3",RESOLUTION=426x240,FRAME-RATE=25.000,AUDIO="surround"
240p.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=2000,AVERAGE-BANDWIDTH=1500,CODECS="mp4a.40.2",AUDIO="low"
audio-1-low.m3u8
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=900,AVERAGE-BANDWIDTH=800,CODECS="avc1.640015",RESOLUTION=426x240,URI="240p-keyframes.m3u8"
`;

describe("an additional codec in the master playlist", () => {
  it("is listed after the H.264 renditions, once for each of their audio groups", () => {
    const lines = addToMaster(MASTER, [ADDED]).split("\n");
    const added = lines.filter((line) => line.includes("av"));
    expect(lines.filter((line) => !line.includes("av01") && !line.startsWith("av1-"))).toEqual(
      MASTER.split("\n"),
    );
    expect(added.filter((line) => line.includes("av01") || line.startsWith("av1-"))).toEqual([
      // The video's 4,000 bits per second become 2,400.
      '#EXT-X-STREAM-INF:BANDWIDTH=4400,AVERAGE-BANDWIDTH=3900,CODECS="av01.0.00M.08,mp4a.40.2",RESOLUTION=426x240,FRAME-RATE=25.000,AUDIO="stereo"',
      "av1-240p-x.m3u8",
      '#EXT-X-STREAM-INF:BANDWIDTH=7400,AVERAGE-BANDWIDTH=6900,CODECS="av01.0.00M.08,ac-3",RESOLUTION=426x240,FRAME-RATE=25.000,AUDIO="surround"',
      "av1-240p-x.m3u8",
      '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=400,AVERAGE-BANDWIDTH=400,CODECS="av01.0.00M.08",RESOLUTION=426x240,URI="av1-240p-x-keyframes.m3u8"',
    ]);
    expect(lines.indexOf("av1-240p-x.m3u8")).toBeGreaterThan(lines.lastIndexOf("240p.m3u8"));
    expect(lines.at(-1)).toBe("");
  });
});

type Levels = Parameters<typeof playedCodecFilter>[0];
const levels = (...codecs: (string | undefined)[]) =>
  codecs.map((videoCodec) => ({ videoCodec })) as unknown as Levels;
const kept = (all: Levels, efficient: string[]) =>
  all.filter(playedCodecFilter(all, efficient)).map(({ videoCodec }) => videoCodec);

describe("the codec chosen by a player", () => {
  const both = levels("avc1.64001f", "av01.0.05M.08", "avc1.640028", "av01.0.08M.08");

  it("is the best codec that the device decodes efficiently, or H.264 if there is none", () => {
    expect(kept(both, [])).toEqual(["avc1.64001f", "avc1.640028"]);
    expect(kept(both, ["av01", "hvc1"])).toEqual(["av01.0.05M.08", "av01.0.08M.08"]);
    expect(kept(both, ["hvc1"])).toEqual(["avc1.64001f", "avc1.640028"]);
    expect(kept(levels(undefined, undefined), ["av01"])).toHaveLength(2);
  });

  it.each([
    ["smooth and efficient", { smooth: true, powerEfficient: true }, ["av01", "hvc1"]],
    ["smooth alone", { smooth: true, powerEfficient: false }, []],
    ["efficient alone", { smooth: false, powerEfficient: true }, []],
    ["not known", undefined, []],
  ])("depends on the result from Media Capabilities: %s", async (_, result, expected) => {
    const decodingInfo = async () => result ?? Promise.reject(new TypeError("not supported"));
    vi.stubGlobal("navigator", { mediaCapabilities: { decodingInfo } });
    expect(await efficientCodecs()).toEqual(expected);
    vi.stubGlobal("navigator", {});
    expect(await efficientCodecs()).toEqual([]);
    vi.unstubAllGlobals();
  });
});

describe("the codec setting", () => {
  it("must include H.264, and may include two other codecs", () => {
    expect(parseSettings({}).encoderCodecs).toEqual(["h264"]);
    expect(parseSettings({ ENCODER_CODECS: "H264, av1,hevc" }).encoderCodecs).toHaveLength(3);
    for (const value of ["av1", "h264,vp9", "h264;av1", ","]) {
      expect(() => parseSettings({ ENCODER_CODECS: value })).toThrow("ENCODER_CODECS must be h264");
    }
  });
});
