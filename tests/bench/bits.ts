import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { analyse, byContent } from "~/media/encode/analysis.server";
import { presetFor } from "~/media/encode/encoders.server";
import { ladderArguments } from "~/media/encode/ladder.server";
import { type Rendition, renditionsFor, steadyRate } from "~/media/encode/renditions";
import type { Ladder } from "~/media/encode/stream/ladder";
import { createTask } from "~/media/encode/task.server";
import { type Probe, probe } from "~/media/probe/probe.server";
import { childSeconds, ffmpeg } from "./programs";
import { median, type Report } from "./report";

const SECONDS = 4;
const HEIGHT = 720;
const SIZE = `size=1280x${HEIGHT}:rate=25`;
const MOST_BITS = 0.8;
const TEXT = "The quick brown fox jumps over the lazy dog and runs through the town at night\n";
const CARTOON = [
  `color=0x3080c0:${SIZE}[sky]`,
  "color=yellow:size=160x160:rate=25[sun]",
  "color=0x206020:size=1280x160:rate=25[grass]",
  "[sky][grass]overlay=y=560[land]",
  "[land][sun]overlay=x='100+8*n':y='300-20*mod(n,10)'",
].join(";");
const WAVES =
  "geq=lum='128+60*sin(X/17+T*3)*cos(Y/13-T*2)+20*sin((X+Y)/5+T*9)':cb='128+40*sin(T+X/40)':cr='128+40*cos(T+Y/30)'";

/** Of as many kinds as ffmpeg can draw. */
export const CLIPS: Record<string, string> = {
  "test card": `testsrc2=${SIZE}`,
  fractal: `mandelbrot=${SIZE}:maxiter=200:start_scale=2:end_scale=0.3:end_pts=100`,
  life: "life=size=160x90:rate=12.5:mold=10:ratio=0.1:death_color=#402020:life_color=#20e080:seed=7,scale=1280:720:flags=neighbor,fps=25",
  "cellular automaton":
    "cellauto=size=320x180:rate=25:rule=110:seed=4,scale=1280:720:flags=neighbor",
  gradients: `gradients=${SIZE}:n=4:seed=3:speed=0.02`,
  "film grain": `gradients=${SIZE}:n=4:seed=5:speed=0.02,noise=alls=14:allf=t:all_seed=5`,
  "phone noise": `mandelbrot=${SIZE}:maxiter=100:start_scale=1:end_scale=0.6:end_pts=100,gblur=sigma=2,noise=alls=30:allf=t+u:all_seed=9`,
  slides:
    "mandelbrot=size=2560x1440:rate=1:maxiter=300,trim=end_frame=1,zoompan=z='1+0.002*on':d=100:s=1280x720:fps=25",
  "scrolling text": `color=white:${SIZE},drawtext=text='${TEXT.repeat(12)}':fontsize=32:x=40:y=500-60*t`,
  "flat animation": CARTOON,
  waves: `nullsrc=size=320x180:rate=25,${WAVES},scale=1280:720:flags=bicubic`,
};

/** Of the settings that every film had: quality 23 and the limits of the steps, and some beside it. */
const FIXED_PRESET = "veryfast";
const OFFSETS = [-4, 0, 4];

export interface Point {
  bits: number;
  /** Mean over the renditions that both have, in decibels: -10 log10(1 - SSIM). */
  decibels: number;
}

/**
 * Bits of the pictures at the same SSIM: what the analysis chose and the preset of an idle queue, beside
 * the fixed settings, whose bits at that SSIM are read between two of their qualities.
 */
export async function run(report: Report): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bench-bits-"));
  const ratios: number[] = [];
  const gains: number[] = [];
  let ladders = { now: 0, fixed: 0 };
  const cpu = { now: 0, fixed: 0, analysis: 0 };
  try {
    for (const [name, picture] of Object.entries(CLIPS)) {
      const film = await makeFilm(folder, picture);
      const { usual, chosen, seconds } = await choose(film);
      cpu.analysis += seconds;
      const compare = chosen.map(({ name }) => name);
      const now = await encode(film, { renditions: chosen, preset: presetFor("idle"), compare });
      const curve: Point[] = [];
      for (const offset of OFFSETS) {
        const renditions = usual.map((one) => moved(one, offset));
        const made = await encode(film, { renditions, preset: FIXED_PRESET, compare });
        curve.push(made);
        if (offset !== 0) continue;
        ladders = { now: ladders.now + now.ladder, fixed: ladders.fixed + made.ladder };
        cpu.now += now.seconds;
        cpu.fixed += made.seconds;
      }
      const ratio = now.bits / between(curve, "decibels", "bits", now.decibels);
      const gain = now.decibels - between(curve, "bits", "decibels", now.bits);
      ratios.push(ratio);
      gains.push(gain);
      console.log(
        `        ${name}: quality ${chosen.at(-1)!.crf}, ${compare.join(" ")}; ${ratio.toFixed(2)} of the bits at equal SSIM, ${gain.toFixed(1)} dB more at equal bits`,
      );
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  const mean = Math.exp(ratios.map(Math.log).reduce((sum, one) => sum + one) / ratios.length);
  report.figure("more at equal bits, median", median(gains), "dB");
  report.figure("bytes of the whole ladders", ladders.now / ladders.fixed, "of before");
  report.figure("CPU of the analysis", cpu.analysis / cpu.now, "of the ladder's");
  report.figure("CPU with the preset of an idle queue", cpu.now / cpu.fixed, "times");
  report.atMost("bits at equal SSIM, geometric mean", mean, MOST_BITS, "of the fixed settings");
}

export interface Film {
  folder: string;
  file: string;
  found: Probe;
}

export async function makeFilm(folder: string, picture: string): Promise<Film> {
  const file = path.join(folder, "film.mp4");
  const drawn = ["-f", "lavfi", "-i", picture, "-t", String(SECONDS), "-pix_fmt", "yuv420p"];
  ffmpeg([...drawn, "-c:v", "libx264", "-preset", "ultrafast", "-qp", "4", file]);
  return { folder, file, found: (await probe(file)) as Probe };
}

export async function choose({ folder, file, found }: Film) {
  const usual = renditionsFor(found.video, HEIGHT);
  let chosen = usual;
  const seconds = await childSeconds(async () => {
    const analysis = await analyse(
      file,
      found,
      usual,
      createTask(folder, () => {}),
    );
    if (analysis) chosen = byContent(usual, steadyRate(found.video.frameRate), analysis);
  });
  return { usual, chosen, seconds };
}

/** Six steps of the quality are twice the bits. */
export function moved(rendition: Rendition, offset: number): Rendition {
  const maxBitrate = Math.round(rendition.maxBitrate * 2 ** (-offset / 6));
  return { ...rendition, crf: rendition.crf + offset, maxBitrate };
}

interface Settings {
  renditions: readonly Rendition[];
  preset: string;
  /** Names of the renditions that are compared. */
  compare: readonly string[];
}

export async function encode(
  { folder, file, found }: Film,
  { renditions, preset, compare }: Settings,
) {
  const rate = steadyRate(found.video.frameRate);
  const ladder: Ladder = {
    ...{ file, probe: found, renditions, sounds: [], rate, folder: "made", preset },
  };
  const made = path.join(folder, "made");
  fs.rmSync(made, { recursive: true, force: true });
  fs.mkdirSync(made);
  const args = ladderArguments(ladder, "off");
  const seconds = await childSeconds(() =>
    ffmpeg(preset === FIXED_PRESET ? untuned(args) : args, folder),
  );
  const bytes = ({ name }: Rendition) => fs.statSync(path.join(made, `${name}.mp4`)).size;
  const compared = renditions.filter(({ name }) => compare.includes(name));
  const sum = (some: readonly Rendition[]) => some.reduce((all, one) => all + bytes(one), 0);
  const decibels = decibelsOf(file, made, compared);
  return { bits: sum(compared), decibels, ladder: sum(renditions), seconds };
}

/** Without what the fixed settings did not have. */
function untuned(args: readonly string[]): string[] {
  return args.filter((value, index) => value !== "-tune" && args[index - 1] !== "-tune");
}

/** Mean over the renditions, in decibels of 1 - SSIM. */
export function decibelsOf(file: string, made: string, renditions: readonly Rendition[]): number {
  const losses = similarities(file, made, renditions).map((ssim) => -10 * Math.log10(1 - ssim));
  return losses.reduce((all, one) => all + one, 0) / losses.length;
}

/** SSIM of each rendition beside the film in its size. */
function similarities(file: string, made: string, renditions: readonly Rendition[]): number[] {
  const graph = renditions.flatMap(({ name, width, height }, index) => [
    `[0:v]scale=${width}:${height}:flags=bicubic[film${index}]`,
    `[${index + 1}:v][film${index}]ssim@${name}[out${index}]`,
  ]);
  const inputs = [file, ...renditions.map(({ name }) => path.join(made, `${name}.mp4`))];
  const { stderr } = spawnSync(
    "ffmpeg",
    [
      ...["-nostdin", "-hide_banner", "-nostats", ...inputs.flatMap((name) => ["-i", name])],
      ...["-filter_complex", graph.join(";")],
      ...renditions.flatMap((_, index) => ["-map", `[out${index}]`, "-f", "null", "-"]),
    ],
    { encoding: "utf8" },
  );
  return renditions.map(({ name }) => {
    const found = new RegExp(`\\[ssim@${name} @ \\w+\\] SSIM Y:([\\d.]+)`).exec(stderr);
    if (!found) throw new Error(stderr);
    return Number(found[1]);
  });
}

/** Reads a curve between two of its points; bits are a straight line in logarithms. */
export function between(curve: readonly Point[], of: keyof Point, wanted: keyof Point, at: number) {
  const scale = (key: keyof Point, value: number) => (key === "bits" ? Math.log(value) : value);
  const points = curve
    .map((point) => [scale(of, point[of]), scale(wanted, point[wanted])] as const)
    .sort(([a], [b]) => a - b);
  const x = scale(of, at);
  const upper = points.findIndex(([value]) => value >= x);
  const end = upper < 0 ? points.length - 1 : Math.max(1, upper);
  const [[fromX, fromY], [toX, toY]] = [points[end - 1]!, points[end]!];
  const y = fromY + ((x - fromX) / (toX - fromX)) * (toY - fromY);
  return wanted === "bits" ? Math.exp(y) : y;
}
