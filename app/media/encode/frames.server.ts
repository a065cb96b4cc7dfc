import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { removeTemporary } from "../files/temporary-files.server";
import { inputArguments } from "../probe/ffmpeg.server";
import type { Probe } from "../probe/probe.server";
import { jpegColors, videoFilters } from "./filters.server";
import { EncodeError, NO_METADATA, runFfmpeg, type Task, WATCHDOG_MS } from "./task.server";

/**
 * The maximum number of pixels that one ffmpeg process decodes in parallel. Each frame has a separate decoder, and a 4K
 * decoder takes hundreds of MiB.
 */
const MAX_CONCURRENT_PIXELS = 3840 * 2160;
const MAX_CONCURRENT = 10;
const CPU_SECONDS = 300;
const FILE_BYTES = 256 * 1024 ** 2;

interface Size {
  width: number;
  height: number;
}

/** How frames are extracted and in which format they are written. */
interface Extraction {
  /** The decoder options. */
  decoderOptions?: string[];
  filters: string[];
  outputOptions: string[];
  extension: "jpg" | "gray";
  urgent?: boolean;
}

/**
 * Extracts the frames at the given positions as JPEGs into the task's folder, and returns their paths; undefined for
 * missing frames, such as those past the end of a video that is shorter than its header claims.
 *
 * @param times positions in seconds.
 * @param onProgress called with the number of positions processed so far.
 */
export function extractFrames(
  file: string,
  probe: Probe,
  times: readonly number[],
  size: Size,
  task: Task,
  onProgress: (done: number) => void = () => {},
): Promise<(string | undefined)[]> {
  const extraction: Extraction = {
    filters: [...videoFilters(probe.video, size), jpegColors(probe.video)],
    outputOptions: ["-q:v", "2", "-f", "image2", "-update", "1"],
    extension: "jpg",
  };
  return grabFrames(file, probe, times, task, extraction, onProgress);
}

/** Extracts one frame as a JPEG; see `extractFrames`. */
export async function extractFrame(
  file: string,
  probe: Probe,
  seconds: number,
  size: Size,
  task: Task,
): Promise<string | undefined> {
  const [frame] = await extractFrames(file, probe, [seconds], size, task);
  return frame;
}

/**
 * Returns the frames at the given positions as 8-bit grayscale pixels, `side` by `side`; undefined for missing frames.
 * No files are left in the task's folder.
 */
export async function grayFrames(
  file: string,
  probe: Probe,
  times: readonly number[],
  side: number,
  task: Task,
  { decoderOptions, urgent }: Pick<Extraction, "decoderOptions" | "urgent"> = {},
): Promise<(Buffer | undefined)[]> {
  const extraction: Extraction = {
    decoderOptions,
    urgent,
    filters: [...videoFilters(probe.video, { width: side, height: side }), "format=gray"],
    outputOptions: ["-f", "rawvideo"],
    extension: "gray",
  };
  const files = await grabFrames(file, probe, times, task, extraction, (done) =>
    task.report({ fraction: done / times.length }),
  );
  const frames: (Buffer | undefined)[] = [];
  for (const frame of files) {
    const pixels = frame === undefined ? undefined : await readFile(frame);
    frames.push(pixels?.length === side ** 2 ? pixels : undefined);
  }
  // Remove the files only after all of them have been read, because several positions share a file if the video lasts
  // only a few milliseconds.
  await removeTemporary(...files);
  return frames;
}

/**
 * Extracts several frames with one ffmpeg process, because starting ffmpeg accounts for half the cost of extracting a
 * frame. Missing frames are retried one by one, so that damage in the file affects only the damaged frames.
 */
async function grabFrames(
  file: string,
  probe: Probe,
  times: readonly number[],
  task: Task,
  extraction: Extraction,
  onProgress: (done: number) => void,
): Promise<(string | undefined)[]> {
  const fitting = Math.floor(MAX_CONCURRENT_PIXELS / (probe.video.width * probe.video.height));
  const atOnce = Math.max(1, Math.min(MAX_CONCURRENT, fitting));
  const frames: (string | undefined)[] = [];
  for (let from = 0; from < times.length; from += atOnce) {
    const group = times.slice(from, from + atOnce);
    frames.push(...(await grabTogether(file, probe, group, task, extraction)));
    onProgress(frames.length);
  }
  return frames;
}

async function grabTogether(
  file: string,
  probe: Probe,
  times: readonly number[],
  task: Task,
  extraction: Extraction,
): Promise<(string | undefined)[]> {
  const { decoderOptions = [], filters, outputOptions, extension, urgent } = extraction;
  const names = times.map((seconds) => `frame-${seconds.toFixed(3)}.${extension}`);
  const inputs = times.flatMap((seconds) => [
    ...["-ss", seconds.toFixed(3), "-threads", "1", ...decoderOptions, ...inputArguments(file)],
  ]);
  const outputs = names.flatMap((name, input) => [
    ...["-map", `${input}:${probe.video.index}`, "-frames:v", "1", "-an", "-sn"],
    ...[...NO_METADATA, "-vf", filters.join(","), ...outputOptions, name],
  ]);
  const count = times.length;
  const limits = { seconds: 1, fileBytes: FILE_BYTES, cpuSeconds: count * CPU_SECONDS };
  const watchdogMs = count * WATCHDOG_MS;
  try {
    await runFfmpeg(task, [...inputs, ...outputs], { ...limits, watchdogMs, silent: true, urgent });
  } catch (error) {
    if (!(error instanceof EncodeError)) throw error;
    await removeTemporary(...names.map((name) => path.join(task.folder, name)));
  }
  const frames: (string | undefined)[] = [];
  for (const [index, name] of names.entries()) {
    const frame = path.join(task.folder, name);
    if (existsSync(frame)) frames.push(frame);
    else if (count === 1) frames.push(undefined);
    else frames.push(...(await grabTogether(file, probe, [times[index]!], task, extraction)));
  }
  return frames;
}
