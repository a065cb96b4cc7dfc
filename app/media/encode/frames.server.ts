import { access } from "node:fs/promises";
import path from "node:path";
import { inputArguments } from "../probe/ffmpeg.server";
import type { Probe } from "../probe/probe.server";
import { jpegColors } from "./colors";
import { pictureFilters } from "./filters.server";
import { EncodeError, runFfmpeg, type Task } from "./task.server";

const LIMITS = { seconds: 1, fileBytes: 256 * 1024 ** 2, cpuSeconds: 300, silent: true };

/**
 * Writes the picture that is shown at a time as a JPEG of that size into the task's folder, and
 * returns its path; undefined when there is none, as behind the end of a film that is shorter than
 * it claims.
 */
export async function extractFrame(
  file: string,
  probe: Probe,
  seconds: number,
  size: { width: number; height: number },
  task: Task,
): Promise<string | undefined> {
  const name = `frame-${seconds.toFixed(3)}.jpg`;
  try {
    await runFfmpeg(
      task,
      [
        ...["-ss", seconds.toFixed(3), "-threads", "1", ...inputArguments(file)],
        ...["-map", `0:${probe.video.index}`, "-frames:v", "1", "-an", "-sn"],
        ...["-map_metadata", "-1"],
        ...["-vf", [...pictureFilters(probe.video, size), jpegColors(probe.video)].join(",")],
        ...["-q:v", "2", "-f", "image2", "-update", "1", name],
      ],
      LIMITS,
    );
    const picture = path.join(task.folder, name);
    await access(picture);
    return picture;
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (missing || error instanceof EncodeError) return undefined;
    throw error;
  }
}
