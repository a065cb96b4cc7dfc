import fs from "node:fs";
import path from "node:path";
import { extractFrames } from "~/media/encode/frames.server";
import { createTask } from "~/media/encode/task.server";
import { type Probe, probe } from "~/media/probe/probe.server";
import { withRangedInput } from "~/media/storage/ranged-input.server";
import { decodeFrames } from "~/media/verify/count-frames.server";
import { forgetSettings } from "~/server/settings.server";
import { useTemporarySite } from "../../../tests/temporary-site";
import { ffmpeg } from "../programs";
import { longestHold, type Report } from "../report";

const CLIP_SECONDS = 10;
const SECONDS = 60;
const FRAMES = 60;
/** A share of the film. Pictures are taken from any film alike: 60 of them are judged by the size of this one. */
const MOST_TRANSFER = { "decoding it": 1.1, "60 pictures of it": 4 };
const MOST_TIME = 1.5;
const MOST_HOLD_MS = 25;

/**
 * What is transferred from the store, and how long it takes, while ffmpeg reads a film by range: compared with the same
 * film on the disk, for which all of it is transferred once.
 */
export async function run(report: Report): Promise<void> {
  const site = useTemporarySite();
  const store = path.join(site.folder, "store");
  try {
    fs.mkdirSync(store);
    process.env.STORAGE_URL = `file://${store}`;
    forgetSettings();
    const object = path.join(store, "film");
    makeFilm(site.folder, object);
    const { size: bytes } = fs.statSync(object);
    const missing = path.join(site.uploads, "videos", "film.mp4");
    const found = (await probe(object)) as Probe;
    report.figure("the film", bytes / 1024 ** 2, "MiB");

    const { durationSeconds, video } = found;
    const times = Array.from({ length: FRAMES }, (_, at) => (durationSeconds * at) / FRAMES);
    const task = createTask(site.folder, () => {});
    const works: Record<keyof typeof MOST_TRANSFER, (file: string) => Promise<unknown>> = {
      "decoding it": (file) =>
        decodeFrames(task, file, { durationSeconds, video: video.index, audio: [] }),
      "60 pictures of it": (file) =>
        extractFrames(file, found, times, { width: 320, height: 180 }, task),
    };
    for (const [name, work] of Object.entries(works)) {
      const local = await measured(() => work(object));
      let hold = 0;
      const ranged = await measured(async () => {
        hold = await longestHold(() =>
          withRangedInput(missing, { object: "film", bytes }, () => work(missing)),
        );
      });
      const most = MOST_TRANSFER[name as keyof typeof MOST_TRANSFER];
      report.atMost(`${name}: transferred, of the film`, ranged.bytesRead / bytes, most);
      report.atMost(`${name}: time, compared with the disk`, ranged.ms / local.ms, MOST_TIME);
      report.atMost(`${name}: longest hold of the thread`, hold, MOST_HOLD_MS, "ms");
    }
  } finally {
    await site.remove();
  }
}

/** 1080p as a camera records it, with the index at the end. */
function makeFilm(folder: string, target: string): void {
  const clip = path.join(folder, "clip.mp4");
  const picture = `testsrc2=size=1920x1080:rate=30:duration=${CLIP_SECONDS},noise=alls=8:allf=t`;
  ffmpeg([
    ...["-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", `sine=duration=${CLIP_SECONDS}`],
    ...["-c:v", "libx264", "-preset", "ultrafast", "-b:v", "16M", "-g", "60"],
    ...["-pix_fmt", "yuv420p", "-c:a", "aac", clip],
  ]);
  const repeat = String(SECONDS / CLIP_SECONDS - 1);
  ffmpeg(["-stream_loop", repeat, "-i", clip, "-c", "copy", "-f", "mp4", target]);
}

/** Bytes that this process reads meanwhile: those of the store, but not those that ffmpeg reads. */
async function measured(work: () => Promise<unknown>): Promise<{ ms: number; bytesRead: number }> {
  const bytesRead = () =>
    Number(/^rchar: (\d+)$/m.exec(fs.readFileSync("/proc/self/io", "utf8"))?.[1]);
  const [begun, before] = [performance.now(), bytesRead()];
  await work();
  return { ms: performance.now() - begun, bytesRead: bytesRead() - before };
}
