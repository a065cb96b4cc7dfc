import { describe, expect, it } from "vitest";
import {
  type Analysis,
  byContent,
  readAnalysis,
  renditionsFor,
  samplesOf,
} from "~/media/encode/renditions.server";

const RATE = { numerator: 25, denominator: 1 };
const PIXELS = 640 * 360;

/** As x264 and the filter `ssim` print it, the better quality first or last. */
function printed(
  [high, low]: [bits: number, ssim: number][],
  likeness: Record<string, number> = {},
): string[] {
  return [
    ...Object.entries(likeness).map(
      ([name, ssim]) => `[ssim@${name} @ 0x55] SSIM Y:${ssim} (14.7) U:1 (inf) V:1 (inf) All:1`,
    ),
    "video:395kB audio:0kB subtitle:0kB other streams:0kB global headers:0kB muxing overhead: unknown",
    ...[high!, low!].flatMap(([bits, ssim]) => [
      "[libx264 @ 0x55] frame I:1     Avg QP:27.99  size: 17153",
      `[libx264 @ 0x55] SSIM Mean Y:${ssim} (15.129db)`,
      `[libx264 @ 0x55] kb/s:${bits}`,
    ]),
  ];
}
const read = (lines: string[]) => readAnalysis(lines, { pixels: PIXELS, rate: RATE });

describe("the analysis of a film", () => {
  it("gives a film whose SSIM grows with its bits more, and one that wastes them less", () => {
    const quality = (...encodes: [number, number][]) =>
      read(printed(encodes as [[number, number], [number, number]]))?.crf;
    // A drawing: cheap, and each bit is seen.
    expect(quality([80, 0.9985], [50, 0.9955])).toBeLessThan(23);
    // Grain: many bits, each of which brings next to nothing.
    expect(quality([18_000, 0.965], [9_500, 0.87])).toBeGreaterThan(23);
    // Never further than four steps, however extreme the samples are.
    expect(quality([1, 0.99], [0.9, 0.5])).toBe(19);
    expect(quality([90_000, 0.9999], [20_000, 0.9998])).toBe(27);
  });

  it("does not depend on which of the two ends first, and is the same each time", () => {
    const lines = printed([
      [800, 0.985],
      [400, 0.965],
    ]);
    const other = printed([
      [400, 0.965],
      [800, 0.985],
    ]);
    expect(read(lines)).toEqual(read(other));
    expect(read(lines)).toEqual(read(lines));
  });

  it.each([
    ["nothing was printed", []],
    [
      "one encoder alone was",
      printed([
        [800, 0.98],
        [400, 0.97],
      ]).slice(0, 4),
    ],
    [
      "nothing changes with the quality",
      printed([
        [800, 0.98],
        [800, 0.98],
      ]),
    ],
    [
      "a grey picture has no loss",
      printed([
        [2, 1],
        [1, 1],
      ]),
    ],
    [
      "an encoder made nothing",
      printed([
        [800, 0.98],
        [0, 0.96],
      ]),
    ],
    [
      "fewer bits look better",
      printed([
        [800, 0.96],
        [400, 0.96],
      ]),
    ],
  ])("tells nothing where %s", (_, lines) => {
    expect(read(lines)).toBeUndefined();
  });

  it("takes one sample of a short film, five of a long one, all inside of it", () => {
    expect(samplesOf(0.5)).toEqual([0]);
    expect(samplesOf(8)).toEqual([3]);
    expect(samplesOf(60)).toEqual([9, 29, 49]);
    expect(samplesOf(7_200)).toHaveLength(5);
    expect(Math.max(...samplesOf(7_200))).toBeLessThan(7_198);
  });
});

const FILM = {
  ...{ index: 0, codec: "h264", profile: "High", width: 1920, height: 1080, rotation: 0 },
  ...{ frameRate: 25, pixelFormat: "yuv420p", hdr: false, interlaced: false },
};
const usual = renditionsFor(FILM, 1080);

function ladder(likeness: Record<string, number>, analysis: Partial<Analysis> = {}) {
  return byContent(usual, RATE, {
    ...{ crf: 21, bitsPerPixel: 0.05, pixels: PIXELS, likeness: new Map(Object.entries(likeness)) },
    ...analysis,
  });
}
const names = (renditions: typeof usual) => renditions.map(({ name }) => name);

describe("the renditions by content", () => {
  it("are all there for a film with detail", () => {
    const detail = { "144p": 0.7, "240p": 0.8, "360p": 0.86, "480p": 0.91, "720p": 0.97 };
    expect(names(ladder(detail))).toEqual(["144p", "240p", "360p", "480p", "720p", "1080p"]);
  });

  it("are without those that look like the next smaller one", () => {
    const blurred = { "144p": 0.9, "240p": 0.96, "360p": 0.99, "480p": 0.994, "720p": 0.9955 };
    expect(names(ladder(blurred))).toEqual(["144p", "240p", "360p", "720p", "1080p"]);
  });

  it("keep the smallest, the one that begins, and the largest even of a flat picture", () => {
    const flat = { "144p": 1, "240p": 1, "360p": 1, "480p": 1, "720p": 1 };
    expect(names(ladder(flat))).toEqual(["144p", "240p", "1080p"]);
  });

  it("have the quality that was found, and limits from a quarter of the usual to the usual", () => {
    for (const [bitsPerPixel, part] of [
      [0.000_001, 0.25],
      [10, 1],
    ] as const) {
      for (const rendition of ladder({}, { bitsPerPixel })) {
        const { maxBitrate } = usual.find(({ name }) => name === rendition.name)!;
        expect(rendition).toMatchObject({ crf: 21, maxBitrate: Math.round(maxBitrate * part) });
      }
    }
    // 640x360 with 0.05 bits a pixel, 25 a second: 288 kbit/s, four times that at its busiest, is over
    // the limit of its step; 1080p has nine times the pixels and 5.2 times the bits.
    const middle = ladder({}, { bitsPerPixel: 0.02 });
    expect(middle.at(-1)!.maxBitrate).toBe(Math.round(0.02 * PIXELS * 25 * 9 ** 0.75 * 4));
  });
});
