import type { ChildProcess } from "node:child_process";
import fs, { mkdir } from "node:fs/promises";
import { startMessagingProcess } from "~/platform/child-process.server";
import { createMutex } from "~/shared/event-loop";
import { findExecutable } from "~/shared/program.server";
import { processState } from "~db/runtime.server";
import { temporaryFolder, withTemporaryPath } from "../files/temporary-files.server";
import { insideLimits } from "../probe/ffmpeg.server";

/**
 * Pictures are decoded in a process of their own, one at a time for the whole site: a stranger's
 * picture can take gigabytes and half a minute, and four of them would fill the threads with which
 * Node reads all files. The process can be killed, which a decoder inside ours cannot.
 */

export type PictureTask =
  /** Re-encodes a picture as WebP: upright, at most 1280 pixels wide or `width`, nothing but pixels. */
  | { kind: "thumbnail"; file: string; target: string; width?: number }
  | { kind: "colors"; file: string }
  /** Draws an SVG in the middle of a ground of one colour, as PNG. */
  | {
      kind: "drawing";
      svg: string;
      width: number;
      height: number;
      background: string;
      target: string;
    }
  /** Writes the best of several pictures as WebP. */
  | { kind: "poster"; files: string[]; target: string }
  | {
      kind: "sprite";
      width: number;
      height: number;
      parts: { file: string; left: number; top: number }[];
      target: string;
    };

export interface PictureAnswer {
  /** Of the four quarters, 24 hexadecimal digits. */
  colors?: string;
}

/** `crashed`: by the picture, such as for want of memory. `interrupted`: by something else. */
export type PictureFailure =
  | "too many pixels"
  | "unreadable"
  | "too slow"
  | "crashed"
  | "interrupted"
  | "disk full";

export class PictureError extends Error {
  constructor(
    readonly failure: PictureFailure,
    reason = "",
  ) {
    super(`The picture could not be processed: ${failure}. ${reason}`.trim());
  }
}

/** For one picture; the process is killed then. */
const MAX_SECONDS = 10;
const STARTS_WITHIN_MS = 30_000;
/** Of memory; 40 megapixels of four channels in 16 bit are 320 MB. */
const MAX_DATA_BYTES = 1024 ** 3;
const IDLE_MS = 10_000;

type Message =
  | { ready: true }
  | { answer: PictureAnswer }
  | { failure: PictureFailure; reason: string };

interface PictureProcess {
  child?: ChildProcess | undefined;
  /** The only folder that it may write to. */
  folder?: string;
  idle?: NodeJS.Timeout | undefined;
  runExclusive: ReturnType<typeof createMutex>;
}

const pictures = processState<PictureProcess>(
  "picture process",
  () => ({ runExclusive: createMutex() }),
  ({ child, idle }) => {
    clearTimeout(idle);
    child?.kill("SIGKILL");
  },
);

/** The running process, for tests that kill it. */
export function pictureProcess(): ChildProcess | undefined {
  return pictures().child;
}

/**
 * Has a picture processed when those before it are done.
 *
 * @throws {PictureError} for what cannot be read, is too large, or takes too long, and where the process was killed.
 */
export function processPicture(task: PictureTask): Promise<PictureAnswer> {
  return pictures().runExclusive(() => perform(task));
}

async function perform(task: PictureTask): Promise<PictureAnswer> {
  clearTimeout(pictures().idle);
  const child = await running();
  try {
    child.ref();
    child.channel?.ref();
    child.send(task);
    const message = await nextMessage(child, MAX_SECONDS * 1000);
    if ("answer" in message) return message.answer;
    if ("failure" in message) throw new PictureError(message.failure, message.reason);
    throw new PictureError("interrupted");
  } finally {
    child.channel?.unref();
    child.unref();
    pictures().idle = setTimeout(() => end(child), IDLE_MS).unref();
  }
}

/** A task that comes before the process is gone gets a new one. */
function end(child: ChildProcess): void {
  const state = pictures();
  if (state.child === child) state.child = undefined;
  child.kill("SIGKILL");
}

/** The process, started when there is none. */
async function running(): Promise<ChildProcess> {
  const state = pictures();
  const folder = temporaryFolder();
  const isRunning = state.child?.connected && state.child.exitCode === null;
  if (state.child && isRunning && state.folder === folder) return state.child;
  if (state.child) end(state.child);
  const { file, loader } = findExecutable("picture-program", import.meta.url);
  const node = [process.execPath, ...(loader ? ["--import", loader] : []), file];
  await mkdir(folder, { recursive: true });
  const limits = { dataBytes: MAX_DATA_BYTES, offline: true, writable: [folder] };
  const [command, ...args] = insideLimits(node, limits);
  const child = startMessagingProcess(command, args, {
    MALLOC_ARENA_MAX: "2",
    UV_THREADPOOL_SIZE: "2",
  });
  state.child = child;
  state.folder = folder;
  await nextMessage(child, STARTS_WITHIN_MS);
  return child;
}

/** Kills the process when nothing comes in time. */
function nextMessage(child: ChildProcess, withinMs: number): Promise<Message> {
  return new Promise((resolve, reject) => {
    const fail = (failure: PictureFailure) => {
      stopListening();
      end(child);
      reject(new PictureError(failure));
    };
    const onMessage = (message: unknown) => {
      stopListening();
      resolve(message as Message);
    };
    const onExit = (_code: number | null, signal: NodeJS.Signals | null) =>
      fail(signal === "SIGKILL" ? "interrupted" : "crashed");
    // It could not be started, or was gone before it had the task.
    const onError = () => fail("interrupted");
    const timer = setTimeout(() => fail("too slow"), withinMs);
    const stopListening = () => {
      clearTimeout(timer);
      child.off("message", onMessage).off("exit", onExit).off("error", onError);
    };
    child.once("message", onMessage).once("exit", onExit).once("error", onError);
  });
}

type Drawing = Omit<Extract<PictureTask, { kind: "drawing" }>, "kind" | "target">;

/** A PNG of one of the site's own drawings, made by the picture process like every other picture. */
export function drawPicture(drawing: Drawing): Promise<Buffer> {
  return withTemporaryPath(async (target) => {
    await processPicture({ kind: "drawing", ...drawing, target });
    return fs.readFile(target);
  });
}

/**
 * The average colours of a picture's four quarters, 24 hexadecimal digits: left and right above,
 * left and right below. Undefined for what cannot be read as a picture.
 */
export async function posterColors(file: string): Promise<string | undefined> {
  try {
    return (await processPicture({ kind: "colors", file })).colors;
  } catch (error) {
    if (error instanceof PictureError) return undefined;
    throw error;
  }
}
