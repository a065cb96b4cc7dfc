import fs from "node:fs";
import path from "node:path";
import { decodeFrames } from "~/media/encode/count-frames.server";
import { extractFrames } from "~/media/encode/frames.server";
import { createTask } from "~/media/encode/task.server";
import { type Probe, probe } from "~/media/probe/probe.server";
import { withRangedInput } from "~/media/storage/ranged-input.server";
import { forgetSettings } from "~/platform/settings.server";
import { ffmpeg } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";
import { longestBlock, type Report } from "../report";

const CLIP_SECONDS = 10;
const SECONDS = 60;
const FRAMES = 60;
const MAX_TIME_RATIO = 1.5;
const MAX_BLOCKED_MS = 15;

/**
 * Measures the transferred data and the elapsed time when ffmpeg reads ranges of a video from the store, compared with
 * reading the same video from disk.
 */
export async function run(report: Report): Promise<void> {
  const site = useTemporarySite();
  const store = path.join(site.folder, "store");
  try {
    fs.mkdirSync(store);
    process.env.STORAGE_URL = `file://${store}`;
    forgetSettings();
    const object = path.join(store, "video");
    createVideo(site.folder, object);
    const { size: bytes } = fs.statSync(object);
    const missing = path.join(site.uploads, "videos", "video.mp4");
    const found = (await probe(object)) as Probe;
    report.figure("video size", bytes / 1024 ** 2, "MiB");

    const { durationSeconds, video } = found;
    const times = Array.from({ length: FRAMES }, (_, index) => (durationSeconds * index) / FRAMES);
    const task = createTask(site.folder, () => {});
    const cases = [
      {
        name: "decode the video",
        maxTransfer: 1.1,
        work: (file: string): Promise<unknown> =>
          decodeFrames(task, file, { durationSeconds, video: video.index, audio: [] }),
      },
      {
        // A short video is enough, because the number of bytes read for a frame doesn't depend on the video's length.
        name: `extract ${FRAMES} frames`,
        maxTransfer: 4,
        work: (file: string): Promise<unknown> =>
          extractFrames(file, found, times, { width: 320, height: 180 }, task),
      },
    ];
    for (const { name, maxTransfer, work } of cases) {
      const byRange = () =>
        withRangedInput(missing, { object: "video", bytes }, () => work(missing));
      // The first run also loads and compiles code.
      await work(object);
      await byRange();
      const local = await measure(() => work(object));
      const ranged = await measure(byRange);
      report.atMost(
        `${name}: bytes transferred / file size`,
        ranged.bytesRead / bytes,
        maxTransfer,
      );
      report.atMost(`${name}: time / time from the disk`, ranged.ms / local.ms, MAX_TIME_RATIO);
      // Starting ffmpeg also blocks the thread until the new process gets a CPU.
      const blocked = `${name}: longest event-loop block`;
      report.figure(`${blocked} from the disk`, local.blockedMs, "ms");
      report.figure(`${blocked} by range`, ranged.blockedMs, "ms");
      const difference = ranged.blockedMs - local.blockedMs;
      report.atMost(
        `${blocked} by range, minus that from the disk`,
        difference,
        MAX_BLOCKED_MS,
        "ms",
      );
    }
  } finally {
    await site.remove();
  }
}

/** Creates a 1080p video with its index at the end, like the videos that cameras record. */
function createVideo(folder: string, target: string): void {
  const clip = path.join(folder, "clip.mp4");
  const source = `testsrc2=size=1920x1080:rate=30:duration=${CLIP_SECONDS},noise=alls=8:allf=t`;
  ffmpeg([
    ...["-f", "lavfi", "-i", source, "-f", "lavfi", "-i", `sine=duration=${CLIP_SECONDS}`],
    ...["-c:v", "libx264", "-preset", "ultrafast", "-b:v", "16M", "-g", "60"],
    ...["-pix_fmt", "yuv420p", "-c:a", "aac", clip],
  ]);
  const repeat = String(SECONDS / CLIP_SECONDS - 1);
  ffmpeg(["-stream_loop", repeat, "-i", clip, "-c", "copy", "-f", "mp4", target]);
}

interface Measured {
  ms: number;
  /** The number of bytes that this process has read, all from the store. It doesn't include ffmpeg's reads. */
  bytesRead: number;
  /** The longest time, in milliseconds, that the work has blocked the thread. */
  blockedMs: number;
}

async function measure(work: () => Promise<unknown>): Promise<Measured> {
  const bytesRead = () =>
    Number(/^rchar: (\d+)$/m.exec(fs.readFileSync("/proc/self/io", "utf8"))?.[1]);
  const [start, before] = [performance.now(), bytesRead()];
  const blockedMs = await longestBlock(work);
  return { ms: performance.now() - start, bytesRead: bytesRead() - before, blockedMs };
}
