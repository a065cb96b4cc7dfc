import { readFile } from "node:fs/promises";
import path from "node:path";
import { cpuSecondsFor } from "~/media/encode/artifact";
import { type Rate, videoFilters } from "~/media/encode/filters.server";
import { grayFrames } from "~/media/encode/frames.server";
import { runFfmpeg, type Task } from "~/media/encode/task.server";
import { removeTemporary } from "~/media/files/temporary-files.server";
import { inputArguments } from "~/media/probe/ffmpeg.server";
import { type Probe, timestampsJump } from "~/media/probe/probe.server";
import { createYielder } from "~/shared/event-loop";
import {
  contentBox,
  FRAME_SIDE,
  type Frames,
  hashBlockedFrame,
  hashComparedFrame,
} from "./frame-hashes";

/** The number of a video's frames that are compared with blocked videos. */
export const COMPARED_FRAMES = 32;
/** The maximum number of frames recorded for a blocked video. */
const BLOCKED_FRAMES = 600;
/** The minimum number of seconds between two recorded frames of a blocked video. */
const MIN_STEP = 0.5;

const SIZE = { width: FRAME_SIDE, height: FRAME_SIDE };
const FRAME_BYTES = FRAME_SIDE ** 2;
const RAW = ["-an", "-sn", "-dn", "-f", "rawvideo"];
/** Skips non-reference frames and deblocking, which make no difference to the hashes. */
const FAST_DECODING = ["-skip_frame", "noref", "-skip_loop_filter", "all"];
/** Decodes only keyframes. Used when the whole file must be read even though only a few frames are needed. */
const KEYFRAME_DECODING = ["-skip_frame", "nokey", "-skip_loop_filter", "all"];

/** Hashes frames spread over a whole video in order to compare it. Unreadable frames get empty hashes. */
export async function hashComparedFrames(
  file: string,
  probe: Probe,
  task: Task,
  urgent = false,
): Promise<Frames> {
  const step = probe.durationSeconds / COMPARED_FRAMES;
  const times = Array.from({ length: COMPARED_FRAMES }, (_, at) => (at + 0.5) * step);
  const frames: (Buffer | undefined)[] = [];
  if (timestampsJump(probe)) {
    const rate = rateFor(step);
    const options = { count: COMPARED_FRAMES, decoding: KEYFRAME_DECODING, urgent };
    frames.push(...(await framesInOrder(file, probe, rate, task, options)));
    // The last keyframe also stands in for the frames that follow it.
    while (frames.length < COMPARED_FRAMES) frames.push(frames.at(-1));
  } else {
    const options = { decoding: FAST_DECODING, urgent };
    frames.push(...(await grayFrames(file, probe, times, FRAME_SIDE, task, options)));
  }
  const box = contentBox(frames.filter((frame) => frame !== undefined));
  const hashes = await hashAll(frames, (frame) => hashComparedFrame(frame, box), 16);
  return { first: step / 2, step, hashes };
}

/** Hashes consecutive frames of a video that is being blocked. */
export async function hashBlockedFrames(file: string, probe: Probe, task: Task): Promise<Frames> {
  const step = Math.max(MIN_STEP, probe.durationSeconds / BLOCKED_FRAMES);
  const rate = rateFor(step);
  const options = { count: BLOCKED_FRAMES, decoding: FAST_DECODING };
  const frames = await framesInOrder(file, probe, rate, task, options);
  const box = contentBox(frames);
  const hashes = await hashAll(frames, (frame) => hashBlockedFrame(frame, box), 24);
  // The frame that ffmpeg outputs for a timestamp shows what appears half a step later.
  return { first: rate.denominator / 2_000, step: rate.denominator / 1_000, hashes };
}

/** Returns the frame rate for one frame every `step` seconds. */
function rateFor(step: number): Rate {
  return { numerator: 1_000, denominator: Math.ceil(step * 1_000) };
}

/** Extracts frames at a constant rate, starting at the beginning of the file. */
async function framesInOrder(
  file: string,
  probe: Probe,
  rate: Rate,
  task: Task,
  { count, decoding, urgent }: { count: number; decoding: string[]; urgent?: boolean },
): Promise<Buffer[]> {
  const name = "frames.gray";
  const filters = [...videoFilters(probe.video, SIZE, rate), "format=gray"].join(",");
  const from = [...decoding, ...inputArguments(file, probe), "-map", `0:${probe.video.index}`];
  const raw = path.join(task.folder, name);
  try {
    await runFfmpeg(task, [...from, "-frames:v", String(count), "-vf", filters, ...RAW, name], {
      seconds: probe.durationSeconds,
      fileBytes: (count + 1) * FRAME_BYTES,
      cpuSeconds: cpuSecondsFor(probe),
      urgent,
    });
    const pixels = await readFile(raw);
    const frames: Buffer[] = [];
    for (let at = 0; at + FRAME_BYTES <= pixels.length; at += FRAME_BYTES) {
      frames.push(pixels.subarray(at, at + FRAME_BYTES));
    }
    return frames;
  } finally {
    await removeTemporary(raw);
  }
}

/** Hashes frames, yielding to the event loop in between. Hashing one frame takes a fraction of a millisecond. */
async function hashAll(
  frames: readonly (Uint8Array | undefined)[],
  hash: (frame: Uint8Array) => Uint8Array,
  bytes: number,
): Promise<Uint8Array> {
  const all = new Uint8Array(frames.length * bytes);
  const yieldIfDue = createYielder();
  for (const [at, frame] of frames.entries()) {
    if (frame) all.set(hash(frame), at * bytes);
    await yieldIfDue();
  }
  return all;
}
