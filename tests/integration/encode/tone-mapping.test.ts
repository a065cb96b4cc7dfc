import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transcode } from "~/media/encode/transcode.server";
import { ffmpegAvailable, hasFilter } from "~/media/probe/ffmpeg.server";
import { playableEncodeArguments } from "../../encode-library";
import { ffmpeg, makeClip } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

/** The luminance of the gray stripes in cd/m². They range from a dark room to paper white to a lamp. */
const LUMINANCES = [5, 10, 20, 50, 100, 203, 500, 1_000];
const STRIPE = 40;
const MAX_DECIBELS = 2;

/** The following functions convert a luminance to a signal (0 to 1) and back, according to SMPTE ST 2084 (PQ). */
const M1 = 2610 / 16_384;
const M2 = (2523 / 4096) * 128;
const [C1, C2, C3] = [3424 / 4096, (2413 / 4096) * 32, (2392 / 4096) * 32] as const;
const toPq = (luminance: number) => {
  const power = (luminance / 10_000) ** M1;
  return ((C1 + C2 * power) / (1 + C3 * power)) ** M2;
};
const fromPq = (signal: number) => {
  const power = signal ** (1 / M2);
  return 10_000 * (Math.max(power - C1, 0) / (C2 - C3 * power)) ** (1 / M1);
};

/** Converts the luminance of a gray to a signal (ITU-R BT.2100 table 5, HLG, for a display of 1,000 cd/m²). */
function toHlg(luminance: number): number {
  const [a, b, c] = [0.17883277, 0.28466892, 0.55991073];
  const scene = (luminance / 1_000) ** (1 / 1.2);
  return scene <= 1 / 12 ? Math.sqrt(3 * scene) : a * Math.log(12 * scene - b) + c;
}

/** Maps a luminance from a display of 1,000 cd/m² to a display of 100 cd/m² (ITU-R BT.2390 §5.4.1). */
function referenceLuminance(luminance: number): number {
  const [source, target] = [toPq(1_000), toPq(100)];
  const most = target / source;
  const knee = 1.5 * most - 0.5;
  const signal = toPq(luminance) / source;
  if (signal < knee) return luminance;
  const t = (signal - knee) / (1 - knee);
  const mapped =
    (2 * t ** 3 - 3 * t ** 2 + 1) * knee +
    (t ** 3 - 2 * t ** 2 + t) * (1 - knee) +
    (3 * t ** 2 - 2 * t ** 3) * most;
  return fromPq(mapped * source);
}

/** Returns the luminance of an 8-bit limited-range value on a 100 cd/m² display with perfect black (ITU-R BT.1886). */
const shownLuminance = (code: number) => 100 * ((code - 16) / 219) ** 2.4;

describe.runIf(ffmpegAvailable() && hasFilter("zscale"))("HDR on an SDR display", () => {
  it.each([
    ["smpte2084", toPq],
    ["arib-std-b67", toHlg],
  ] as const)(
    "has a brightness within 2 dB of the ITU-R BT.2390 reference (%s)",
    async (transfer, signalOf) => {
      const codes = LUMINANCES.map((luminance) => Math.round(64 + 876 * signalOf(luminance)));
      const stripes = codes.map((code, index) => `${code}*eq(floor(X/${STRIPE})\\,${index})`);
      const clip = makeClip(site.folder, "stripes", {
        videoSource: `color=size=${STRIPE * codes.length}x80:rate=5:duration=1,format=yuv420p10le,geq=lum='${stripes.join("+")}':cb=512:cr=512`,
        extension: "mkv",
        video: [
          ...["libx264", "-preset", "ultrafast", "-crf", "1", "-pix_fmt", "yuv420p10le"],
          ...["-color_trc", transfer, "-color_primaries", "bt2020", "-colorspace", "bt2020nc"],
        ],
        audio: false,
      });
      const { moves } = await transcode(...(await playableEncodeArguments(clip)));
      const output = path.join(site.folder, "output.gray");
      ffmpeg([
        ...["-i", path.join(site.folder, moves[0]!.from), "-frames:v", "1"],
        ...["-vf", "extractplanes=y", "-f", "rawvideo", output],
      ]);
      const bytes = fs.readFileSync(output);
      const off = LUMINANCES.map((luminance, index) => {
        const shown = shownLuminance(bytes[40 * STRIPE * codes.length + (index + 0.5) * STRIPE]!);
        return 10 * Math.log10(shown / referenceLuminance(luminance));
      });
      for (const decibels of off) expect(Math.abs(decibels)).toBeLessThan(MAX_DECIBELS);
    },
  );
});
