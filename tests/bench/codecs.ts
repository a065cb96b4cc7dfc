import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { codecArguments } from "~/media/encode/codecs/encode-codecs.server";
import { chooseEncoder } from "~/media/encode/codecs/extra-codecs.server";
import { presetFor } from "~/media/encode/encoders.server";
import { steadyRate } from "~/media/encode/renditions";
import { hasEncoder } from "~/media/probe/ffmpeg.server";
import {
  between,
  CLIPS,
  choose,
  decibelsOf,
  encode,
  type Film,
  makeFilm,
  moved,
  type Point,
} from "./bits";
import { childSeconds, ffmpeg } from "./programs";
import type { Report } from "./report";

/** Of the clips of `bits`: drawn, and detailed. */
const KINDS = ["flat animation", "fractal"];
/** Noise that is another in every picture reaches no SSIM in either codec: it is told and not judged. */
const NOISE = "film grain";
const OFFSETS = [-6, 0, 6];
const MOST_BITS = 0.8;

/**
 * Bytes of AV1 at the same SSIM as the ladder in H.264, which has the preset of an idle queue and the
 * quality that the analysis chose; its bytes at that SSIM are read between three of its qualities.
 */
export async function run(report: Report): Promise<void> {
  if (!hasEncoder("libsvtav1")) {
    console.log("        AV1 can't be compared: this ffmpeg has no encoder libsvtav1.");
    return;
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bench-codecs-"));
  const ratios: number[] = [];
  const cpu = { av1: 0, h264: 0 };
  try {
    for (const kind of [...KINDS, NOISE]) {
      const film = await makeFilm(folder, CLIPS[kind]!);
      const { chosen } = await choose(film);
      const compare = chosen.map(({ name }) => name);
      const curve: Point[] = [];
      for (const offset of OFFSETS) {
        const renditions = chosen.map((one) => moved(one, offset));
        const made = await encode(film, { renditions, preset: presetFor("idle"), compare });
        curve.push(made);
        if (offset === 0) cpu.h264 += made.seconds;
      }
      const av1 = await encodeAv1(film, chosen);
      cpu.av1 += av1.seconds;
      const ratio = av1.bits / between(curve, "decibels", "bits", av1.decibels);
      if (kind !== NOISE) ratios.push(ratio);
      console.log(
        `        ${kind}: ${compare.join(" ")}; AV1 at ${av1.decibels.toFixed(1)} dB takes ${ratio.toFixed(2)} of the bytes of H.264`,
      );
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  const mean = Math.exp(ratios.map(Math.log).reduce((sum, one) => sum + one) / ratios.length);
  report.figure("CPU of AV1", cpu.av1 / cpu.h264, "of the ladder's in H.264");
  report.atMost("bytes of AV1 at equal SSIM, geometric mean", mean, MOST_BITS, "of H.264");
}

async function encodeAv1(
  { folder, file, found }: Film,
  renditions: Awaited<ReturnType<typeof choose>>["chosen"],
): Promise<Point & { seconds: number }> {
  const made = path.join(folder, "made");
  const rate = steadyRate(found.video.frameRate);
  let bits = 0;
  let seconds = 0;
  for (const rendition of renditions) {
    const target = path.join(made, `${rendition.name}.mp4`);
    const args = codecArguments(
      { file, probe: found, rendition, rate },
      chooseEncoder("av1"),
      target,
    );
    seconds += await childSeconds(() => ffmpeg(args, folder));
    bits += fs.statSync(target).size;
  }
  return { bits, decibels: decibelsOf(file, made, renditions), seconds };
}
