import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { presetFor } from "~/media/encode/encoders.server";
import { encodeLadder } from "~/media/encode/ladder.server";
import {
  constantFrameRate,
  keyframeInterval,
  rateOf,
  renditionsFor,
} from "~/media/encode/renditions.server";
import { createTask } from "~/media/encode/task.server";
import { transcode } from "~/media/encode/transcode.server";
import { inputArguments } from "~/media/probe/ffmpeg.server";
import { type Probe, probe } from "~/media/probe/probe.server";
import { settings } from "~/platform/settings.server";
import { ffmpeg } from "../media-clips";
import type { Report } from "./report";

const GIB = 1024 ** 3;
const MAX_FIRST_PLAYABLE_SECONDS = 5;
const MAX_CPU_RATIO = 1.1;

/**
 * Measures how soon visitors can watch a large file, and how long encoding all renditions takes compared with a plain
 * ffmpeg command.
 */
export async function run(report: Report): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bench-encode-"));
  try {
    await benchmarkFirstPlayable(report, folder);
    await benchmarkLadder(report, folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the CPU time, in seconds, of all child processes that have exited during `work`. */
async function childSeconds(work: () => unknown): Promise<number> {
  const childCpu = () => {
    // cutime and cstime of proc(5): fields 16 and 17, after the name in parentheses.
    const stat = fs.readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[13]) + Number(fields[14])) / 100;
  };
  const before = childCpu();
  await work();
  return childCpu() - before;
}

/** Returns the source for a file and a task for it. */
function prepare(folder: string, file: string) {
  const source = {
    videoId: "v",
    basePath: "u/1",
    url: "/media/videos/u/1.mp4",
    file,
    playedFile: file,
  };
  return {
    source: {
      ...source,
      row: { video_url: "", thumbnail_url: null, hls_url: null, source_removed_at: null },
    },
    task: createTask(folder, () => {}),
  };
}

/**
 * Measures how long it takes to probe a 1 GiB H.264 MP4 whose index is at the end, and to move the index to the
 * beginning.
 */
async function benchmarkFirstPlayable(report: Report, folder: string): Promise<void> {
  const file = path.join(folder, "large.mp4");
  const part = path.join(folder, "part.mp4");
  const noise = "color=gray:size=1280x720:rate=25:duration=4,noise=alls=100:allf=t";
  ffmpeg([
    ...["-f", "lavfi", "-i", noise, "-f", "lavfi", "-i", "sine=duration=4"],
    ...["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-crf", "30"],
    ...["-c:a", "aac", "-shortest", part],
  ]);
  const times = Math.ceil(GIB / fs.statSync(part).size) - 1;
  ffmpeg(["-stream_loop", String(times), "-i", part, "-c", "copy", file]);
  const { size } = fs.statSync(file);

  const copy = path.join(folder, "copy.mp4");
  const copyStart = performance.now();
  // dd copies block by block. A reflink wouldn't copy any data, so it wouldn't measure the disk.
  spawnSync("dd", [`if=${file}`, `of=${copy}`, "bs=1M", "conv=fsync"]);
  const copySeconds = (performance.now() - copyStart) / 1000;
  fs.rmSync(copy);

  const { source, task } = prepare(folder, file);
  const start = performance.now();
  const found = (await probe(file)) as Probe;
  const probed = (performance.now() - start) / 1000;
  const before = process.cpuUsage();
  await transcode(source, found, task);
  const spent = process.cpuUsage(before);
  const seconds = (performance.now() - start) / 1000;
  report.figure("size of the file", size / 1024 ** 2, "MiB");
  report.figure("plain copy to the disk", copySeconds, "s");
  report.atMost("probed, and can be watched as is, after", probed, MAX_FIRST_PLAYABLE_SECONDS, "s");
  report.atMost("index at the front after", seconds, MAX_FIRST_PLAYABLE_SECONDS, "s");
  report.figure("CPU to move the index", (spent.user + spent.system) / 1e6, "s");
  fs.rmSync(file);
  fs.rmSync(path.join(folder, "playable.mp4"));
}

async function benchmarkLadder(report: Report, folder: string): Promise<void> {
  const file = path.join(folder, "video.mp4");
  const testVideo = "testsrc2=size=1920x1080:rate=30:duration=8,noise=alls=8:allf=t";
  ffmpeg([
    ...["-f", "lavfi", "-i", testVideo, "-f", "lavfi", "-i", "sine=duration=8"],
    ...["-c:v", "libx264", "-preset", "ultrafast", "-crf", "20", "-pix_fmt", "yuv420p"],
    ...["-c:a", "aac", file],
  ]);
  const found = (await probe(file)) as Probe;
  const { source, task } = prepare(folder, file);
  const start = performance.now();
  const ours = await childSeconds(async () => {
    await encodeLadder(source, found, task, "x");
  });
  const seconds = (performance.now() - start) / 1000;
  const plain = await childSeconds(() => ffmpeg(plainArguments(folder, file, found)));
  report.figure(
    "speed of all renditions, 240p to 1080p",
    found.durationSeconds / seconds,
    "× the video",
  );
  report.figure("CPU of all renditions", ours / found.durationSeconds, "s per second of video");
  report.figure(
    "CPU of a plain ffmpeg command",
    plain / found.durationSeconds,
    "s per second of video",
  );
  report.atMost("CPU / CPU of a plain ffmpeg command", ours / plain, MAX_CPU_RATIO);
}

/** Returns the usual ffmpeg command, which scales each rendition from the source, with the same encoders. */
function plainArguments(folder: string, file: string, found: Probe): string[] {
  const renditions = renditionsFor(found.video, settings().encoderMaxHeight);
  const rate = constantFrameRate(found.video.frameRate);
  const names = renditions.map((_, index) => `[v${index}]`);
  const graph = [
    `[0:v]split=${renditions.length}${renditions.map((_, index) => `[s${index}]`).join("")}`,
    ...renditions.map(
      ({ width, height }, index) => `[s${index}]scale=${width}:${height}${names[index]}`,
    ),
  ].join(";");
  return [
    ...[...inputArguments(file), "-filter_complex", graph],
    ...renditions.flatMap((rendition, index) => {
      const every = String(keyframeInterval(rendition, rate));
      const { numerator, denominator } = rateOf(rendition, rate);
      return [
        ...["-map", names[index]!, "-map", "0:a", "-r", `${numerator}/${denominator}`],
        ...["-c:v", "libx264", "-preset", presetFor("idle"), "-profile:v", "high"],
        ...[
          "-crf",
          "23",
          "-maxrate",
          String(rendition.maxBitrate),
          "-bufsize",
          `${rendition.maxBitrate * 2}`,
        ],
        ...["-g", every, "-keyint_min", every, "-sc_threshold", "0"],
        ...["-c:a", "aac", "-b:a", "128k"],
        path.join(folder, `plain-${rendition.name}.mp4`),
      ];
    }),
  ];
}
