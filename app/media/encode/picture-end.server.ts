import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { inputArguments } from "../probe/ffmpeg.server";
import type { Probe } from "../probe/probe.server";
import { cpuSecondsFor, type Source } from "./artifact";
import { runFfmpeg, type Task } from "./task.server";

const FILE = "pictures.txt";
/** A line for each picture of 24 hours of 60 a second. */
const MOST_BYTES = 512 * 1024 ** 2;

/**
 * When the last picture of a film ends, in seconds from its beginning. The header tells the length of
 * the longest stream, and may be wrong; the pictures are read, and not decoded. Never more than a
 * second behind the length that was probed, whatever a damaged clock says.
 */
export async function pictureEnd(source: Source, probe: Probe, task: Task): Promise<number> {
  await runFfmpeg(
    task,
    [
      ...[...inputArguments(source.file), "-map", `0:${probe.video.index}`, "-c", "copy"],
      ...["-f", "framecrc", FILE],
    ],
    {
      seconds: probe.durationSeconds,
      fileBytes: MOST_BYTES,
      cpuSeconds: cpuSecondsFor(probe),
      silent: true,
    },
  );
  const list = path.join(task.folder, FILE);
  const end = await lastEnd(list);
  await rm(list);
  return Math.min(end || probe.durationSeconds, probe.durationSeconds + 1);
}

/** Of lines `stream, dts, pts, duration, bytes, checksum`, and `#tb 0: 1/12800` before them. */
async function lastEnd(list: string): Promise<number> {
  let secondsOfTick = 0;
  let end = 0;
  for await (const line of createInterface({ input: createReadStream(list) })) {
    const [, above, below] = /^#tb 0: (\d+)\/(\d+)$/.exec(line) ?? [];
    if (above) secondsOfTick = Number(above) / Number(below);
    if (line.startsWith("#")) continue;
    const [, dts, pts, duration] = line.split(",").map(Number);
    // "NOPTS" where the file has only the other of the two.
    const start = Number.isFinite(pts) ? pts : dts;
    end = Math.max(end, (start || 0) + (duration || 0));
  }
  return end * secondsOfTick;
}
