import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { encodeLadder } from "~/media/encode/ladder.server";
import { createTask } from "~/media/encode/task.server";
import { type Probe, probe } from "~/media/probe/probe.server";
import { ffmpeg } from "../../media-clips";
import type { Report } from "../report";

const SECONDS = Number(process.env.BENCH_VIDEO_SECONDS || 600);
const CLIP_SECONDS = 10;
const MAX_MB = 1_500;
const SAMPLE_INTERVAL_MS = 500;

/**
 * Measures ffmpeg's memory in the worst case: encoding all renditions of a 10-minute 1080p60 video while the queue is
 * otherwise idle.
 */
export async function run(report: Report): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bench-ladder-memory-"));
  try {
    const clip = path.join(folder, "clip.mp4");
    const testVideo = `testsrc2=size=1920x1080:rate=60:duration=${CLIP_SECONDS},noise=alls=8:allf=t`;
    ffmpeg([
      ...["-f", "lavfi", "-i", testVideo, "-f", "lavfi", "-i", `sine=duration=${CLIP_SECONDS}`],
      ...["-c:v", "libx264", "-preset", "ultrafast", "-crf", "20", "-pix_fmt", "yuv420p"],
      ...["-c:a", "aac", clip],
    ]);
    const file = path.join(folder, "video.mp4");
    ffmpeg(["-stream_loop", String(SECONDS / CLIP_SECONDS - 1), "-i", clip, "-c", "copy", file]);
    const found = (await probe(file)) as Probe;
    const row = { video_url: "", thumbnail_url: null, hls_url: null, source_removed_at: null };
    const url = "/media/videos/u/1.mp4";
    const source = { videoId: "v", basePath: "u/1", url, file, playedFile: file, row };
    const start = performance.now();
    const samples: number[] = [];
    const timer = setInterval(() => samples.push(childrenMegabytes()), SAMPLE_INTERVAL_MS);
    await encodeLadder(
      source,
      found,
      createTask(folder, () => {}),
      "x",
      "idle",
    );
    clearInterval(timer);
    const peak = (from: number, to: number) =>
      samples.slice(from, to).reduce((one, other) => Math.max(one, other), 0);
    const half = Math.ceil(samples.length / 2);
    report.figure("duration of the video", found.durationSeconds, "s of 1080p60");
    report.figure("encoding all renditions takes", (performance.now() - start) / 1000, "s");
    report.figure("peak memory of ffmpeg in the first half", peak(0, half), "MB");
    report.figure("peak memory of ffmpeg in the second half", peak(half, samples.length), "MB");
    report.atMost("peak memory of ffmpeg", peak(0, samples.length), MAX_MB, "MB");
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the current resident memory of all this process's descendants, in MB. */
function childrenMegabytes(): number {
  const parents = new Map<number, number>();
  const bytes = new Map<number, number>();
  for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
      parents.set(Number(pid), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]));
      bytes.set(Number(pid), Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024);
    } catch {
      // The process has exited in the meantime.
    }
  }
  const isDescendant = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent === process.pid || (parent !== undefined && parent > 1 && isDescendant(parent));
  };
  const own = [...bytes].filter(([pid]) => isDescendant(pid));
  return own.reduce((sum, [, resident]) => sum + resident, 0) / 1e6;
}
