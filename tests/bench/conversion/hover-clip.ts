import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { chooseEncoder, extraArguments } from "~/media/encode/codecs/extra-codecs.server";
import { pictureArguments } from "~/media/encode/encoders.server";
import { pictureFilters } from "~/media/encode/filters.server";
import { PREVIEW } from "~/media/encode/preview.server";
import { fit, type Rendition, renditionsFor, steadyRate } from "~/media/encode/renditions";
import { hasEncoder } from "~/media/probe/ffmpeg.server";
import { between, CLIPS, decibelsOf, type Film, makeFilm, type Point } from "../bits";
import { childSeconds, ffmpeg } from "../programs";
import type { Report } from "../report";

const OFFSETS = [-6, 0, 6];
/** A preview lasts 8 s; the benchmark encodes 4. */
const CLIP_SECONDS = 8;
const BENCH_SECONDS = 4;

/**
 * Bytes of the clip that a card shows in AV1 at the same SSIM as in H.264, whose bytes at that SSIM are
 * read between three of its qualities. A limit that both fit in is set by their making, which is not measured here.
 */
export async function run(report: Report): Promise<void> {
  if (!hasEncoder("libsvtav1")) {
    console.log("        AV1 can't be compared: this ffmpeg has no encoder libsvtav1.");
    return;
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bench-hover-"));
  const ratios: number[] = [];
  const bytes = { h264: 0, saved: 0 };
  const cpu = { h264: 0, av1: 0 };
  try {
    for (const [kind, picture] of Object.entries(CLIPS)) {
      const film = await makeFilm(folder, picture);
      const curve: Point[] = [];
      let now = 0;
      for (const offset of OFFSETS) {
        const limit = Math.round(PREVIEW.maxBitrate * 2 ** (-offset / 6));
        const quality = { maxBitrate: limit, crf: PREVIEW.crf + offset };
        const made = await encode(film, pictureArguments("off", quality));
        curve.push(made);
        if (offset !== 0) continue;
        cpu.h264 += made.seconds;
        now = (made.bits * CLIP_SECONDS) / BENCH_SECONDS;
      }
      const { maxBitrate, crf } = PREVIEW;
      const av1 = await encode(
        film,
        extraArguments(chooseEncoder("av1"), { maxBitrate, crf, keyframeEvery: 250 }),
      );
      cpu.av1 += av1.seconds;
      const ratio = av1.bits / between(curve, "decibels", "bits", av1.decibels);
      ratios.push(ratio);
      bytes.h264 += now;
      bytes.saved += now * (1 - ratio);
      console.log(
        `        ${kind}: ${Math.round(now / 1e3)} KB in H.264; AV1 at ${av1.decibels.toFixed(1)} dB takes ${ratio.toFixed(2)} of its bytes`,
      );
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  const mean = Math.exp(ratios.map(Math.log).reduce((sum, one) => sum + one) / ratios.length);
  report.figure("a hover clip in H.264, mean", bytes.h264 / ratios.length / 1e3, "KB");
  report.figure("AV1 at equal SSIM, geometric mean", mean, "of its bytes");
  report.figure("AV1 saves, mean", bytes.saved / ratios.length / 1e3, "KB a clip");
  report.figure("CPU of AV1", cpu.av1 / cpu.h264, "times that of H.264");
}

async function encode(
  { folder, file, found }: Film,
  codec: readonly string[],
): Promise<Point & { seconds: number }> {
  const size = fit(found.video, PREVIEW.side);
  const rate = steadyRate(found.video.frameRate);
  const made = path.join(folder, "made");
  fs.mkdirSync(made, { recursive: true });
  const clip: Rendition = { ...renditionsFor(found.video, PREVIEW.side).at(-1)!, ...size };
  const target = path.join(made, `${clip.name}.mp4`);
  const filters = pictureFilters(found.video, size, rate).join(",");
  const seconds = await childSeconds(() =>
    ffmpeg(["-i", file, "-vf", filters, ...codec, "-an", target], folder),
  );
  const bits = fs.statSync(target).size;
  return { bits, decibels: decibelsOf(file, made, [clip]), seconds };
}
