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
const LOOK_EVERY_MS = 500;

/** What ffmpeg holds while it makes the ladder of ten minutes of 1080p60 for an idle queue, the dearest there is. */
export async function run(report: Report): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bench-ladder-memory-"));
  try {
    const clip = path.join(folder, "clip.mp4");
    const picture = `testsrc2=size=1920x1080:rate=60:duration=${CLIP_SECONDS},noise=alls=8:allf=t`;
    ffmpeg([
      ...["-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", `sine=duration=${CLIP_SECONDS}`],
      ...["-c:v", "libx264", "-preset", "ultrafast", "-crf", "20", "-pix_fmt", "yuv420p"],
      ...["-c:a", "aac", clip],
    ]);
    const file = path.join(folder, "video.mp4");
    ffmpeg(["-stream_loop", String(SECONDS / CLIP_SECONDS - 1), "-i", clip, "-c", "copy", file]);
    const found = (await probe(file)) as Probe;
    const row = { video_url: "", thumbnail_url: null, hls_url: null, source_removed_at: null };
    const url = "/media/videos/u/1.mp4";
    const source = { videoId: "v", basePath: "u/1", url, file, playedFile: file, row };
    const begun = performance.now();
    const looks: number[] = [];
    const timer = setInterval(() => looks.push(programsMegabytes()), LOOK_EVERY_MS);
    await encodeLadder(
      source,
      found,
      createTask(folder, () => {}),
      "x",
      "idle",
    );
    clearInterval(timer);
    const most = (from: number, to: number) =>
      looks.slice(from, to).reduce((one, other) => Math.max(one, other), 0);
    const half = Math.ceil(looks.length / 2);
    report.figure("the video", found.durationSeconds, "s of 1080p60");
    report.figure("its ladder takes", (performance.now() - begun) / 1000, "s");
    report.figure("memory of ffmpeg in the first half", most(0, half), "MB");
    report.figure("memory of ffmpeg in the second half", most(half, looks.length), "MB");
    report.atMost("memory of ffmpeg at most", most(0, looks.length), MAX_MB, "MB");
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** What all programs that this process has started hold now. */
function programsMegabytes(): number {
  const parents = new Map<number, number>();
  const bytes = new Map<number, number>();
  for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
      parents.set(Number(pid), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]));
      bytes.set(Number(pid), Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024);
    } catch {
      // It has ended meanwhile.
    }
  }
  const isOurs = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent === process.pid || (parent !== undefined && parent > 1 && isOurs(parent));
  };
  return [...bytes].reduce((sum, [pid, held]) => (isOurs(pid) ? sum + held : sum), 0) / 1e6;
}
