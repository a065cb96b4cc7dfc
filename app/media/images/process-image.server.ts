import type { ChildProcess } from "node:child_process";
import fs, { mkdir } from "node:fs/promises";
import { startMessagingProcess } from "~/platform/child-process.server";
import { createMutex } from "~/shared/event-loop";
import { findExecutable } from "~/shared/program.server";
import { processState } from "~db/runtime.server";
import { temporaryFolder, withTemporaryPath } from "../files/temporary-files.server";
import { limitedCommand } from "../probe/ffmpeg.server";

/**
 * Images are decoded in a separate process, one at a time for the whole site. An untrusted image can take gigabytes of
 * memory and half a minute, and four such images would occupy all threads that Node uses to read files. Unlike a
 * decoder inside the server, the process can be killed.
 */

export type ImageTask =
  /** Re-encodes an image as WebP: upright, at most 1280 or `width` pixels wide, without metadata. */
  | { kind: "thumbnail"; file: string; target: string; width?: number }
  | { kind: "colors"; file: string }
  /** Draws an SVG centered on a solid background, and writes it as a PNG. */
  | {
      kind: "drawing";
      svg: string;
      width: number;
      height: number;
      background: string;
      target: string;
    }
  /** Selects the image that works best as a poster, and writes it as WebP. */
  | { kind: "poster"; files: string[]; target: string }
  | {
      kind: "sprite";
      width: number;
      height: number;
      parts: { file: string; left: number; top: number }[];
      target: string;
    };

export interface ImageResult {
  /** The average colors of the four quarters, as 24 hexadecimal digits. */
  colors?: string;
}

/**
 * `crashed`: the process ended because of the image, for example because it ran out of memory. `interrupted`: it ended
 * for another reason.
 */
export type ImageFailure =
  | "too many pixels"
  | "unreadable"
  | "too slow"
  | "crashed"
  | "interrupted"
  | "disk full";

export class ImageError extends Error {
  constructor(
    readonly failure: ImageFailure,
    reason = "",
  ) {
    super(`The image could not be processed: ${failure}. ${reason}`.trim());
  }
}

/** The time limit per image, after which the process is killed. */
const MAX_SECONDS = 10;
const START_TIMEOUT_MS = 30_000;
/** The memory limit. 40 megapixels with four 16-bit channels take 320 MB. */
const MAX_DATA_BYTES = 1024 ** 3;
const IDLE_MS = 10_000;

type Message =
  | { ready: true }
  | { answer: ImageResult }
  | { failure: ImageFailure; reason: string };

interface ImageProcess {
  child?: ChildProcess | undefined;
  /** The only folder to which the process may write. */
  folder?: string;
  idle?: NodeJS.Timeout | undefined;
  runExclusive: ReturnType<typeof createMutex>;
}

const state = processState<ImageProcess>(
  "image process",
  () => ({ runExclusive: createMutex() }),
  ({ child, idle }) => {
    clearTimeout(idle);
    child?.kill("SIGKILL");
  },
);

/** Returns the running process, for tests that kill it. */
export function imageProcess(): ChildProcess | undefined {
  return state().child;
}

/**
 * Processes an image once the images queued before it are done.
 *
 * @throws {ImageError} if the image can't be read, is too large or takes too long, or if the process was killed.
 */
export function processImage(task: ImageTask): Promise<ImageResult> {
  return state().runExclusive(() => perform(task));
}

async function perform(task: ImageTask): Promise<ImageResult> {
  clearTimeout(state().idle);
  const child = await runningProcess();
  try {
    child.ref();
    child.channel?.ref();
    child.send(task);
    const message = await nextMessage(child, MAX_SECONDS * 1000);
    if ("answer" in message) return message.answer;
    if ("failure" in message) throw new ImageError(message.failure, message.reason);
    throw new ImageError("interrupted");
  } finally {
    child.channel?.unref();
    child.unref();
    state().idle = setTimeout(() => kill(child), IDLE_MS).unref();
  }
}

/** Kills the process. Later tasks start a new one. */
function kill(child: ChildProcess): void {
  const current = state();
  if (current.child === child) current.child = undefined;
  child.kill("SIGKILL");
}

/** Returns the process, starting it if necessary. */
async function runningProcess(): Promise<ChildProcess> {
  const current = state();
  const folder = temporaryFolder();
  const isRunning = current.child?.connected && current.child.exitCode === null;
  if (current.child && isRunning && current.folder === folder) return current.child;
  if (current.child) kill(current.child);
  const { file, loader } = findExecutable("image-process", import.meta.url);
  const node = [process.execPath, ...(loader ? ["--import", loader] : []), file];
  await mkdir(folder, { recursive: true });
  const limits = { dataBytes: MAX_DATA_BYTES, offline: true, writable: [folder] };
  const [command, ...args] = limitedCommand(node, limits);
  const child = startMessagingProcess(command, args, {
    MALLOC_ARENA_MAX: "2",
    UV_THREADPOOL_SIZE: "2",
  });
  current.child = child;
  current.folder = folder;
  await nextMessage(child, START_TIMEOUT_MS);
  return child;
}

/** Waits for a message. Kills the process if no message arrives in time. */
function nextMessage(child: ChildProcess, timeoutMs: number): Promise<Message> {
  return new Promise((resolve, reject) => {
    const fail = (failure: ImageFailure) => {
      stopListening();
      kill(child);
      reject(new ImageError(failure));
    };
    const onMessage = (message: unknown) => {
      stopListening();
      resolve(message as Message);
    };
    const onExit = (_code: number | null, signal: NodeJS.Signals | null) =>
      fail(signal === "SIGKILL" ? "interrupted" : "crashed");
    // The process couldn't be started, or exited before it received the task.
    const onError = () => fail("interrupted");
    const timer = setTimeout(() => fail("too slow"), timeoutMs);
    const stopListening = () => {
      clearTimeout(timer);
      child.off("message", onMessage).off("exit", onExit).off("error", onError);
    };
    child.once("message", onMessage).once("exit", onExit).once("error", onError);
  });
}

type Drawing = Omit<Extract<ImageTask, { kind: "drawing" }>, "kind" | "target">;

/** Returns a PNG of one of the site's SVG drawings. */
export function drawImage(drawing: Drawing): Promise<Buffer> {
  return withTemporaryPath(async (target) => {
    await processImage({ kind: "drawing", ...drawing, target });
    return fs.readFile(target);
  });
}

/**
 * Returns the average colors of an image's four quarters as 24 hexadecimal digits: top left, top right, bottom left,
 * bottom right. Undefined if the file can't be read as an image.
 */
export async function posterColors(file: string): Promise<string | undefined> {
  try {
    return (await processImage({ kind: "colors", file })).colors;
  } catch (error) {
    if (error instanceof ImageError) return undefined;
    throw error;
  }
}
