import fs from "node:fs";
import { createInterface } from "node:readline";
import { every } from "~db/runtime.server";
import { InterruptedError, start, throwIfInterrupted, timeoutFactor } from "../probe/ffmpeg.server";
import { withPlace } from "../probe/process-gate.server";

/** ffmpeg that has not come further for this long is ended. */
export const WATCHDOG_MS = 60_000;
/** As many as summaries at the end have, such as those of two encoders. */
const LAST_LINES = 100;

export interface Progress {
  /** 0 to 1 */
  fraction: number;
  /** Seconds of video made in a second. */
  speed?: number;
}

/** One attempt at a job: where it may write, whether it shall go on, and how far it is. */
export interface Task {
  /** A folder of its own below uploads/tmp. */
  folder: string;
  signal: AbortSignal;
  report(progress: Progress): void;
}

/** A task, as seen by who runs it. */
export interface TaskControl extends Task {
  /** Holds the work where it is, for something more urgent. */
  pause(): void;
  resume(): void;
  /** How long it has been held so far. */
  heldMs(): number;
  /** Ends the work at once; what waits for it throws. */
  abort(): void;
}

interface InternalTask extends TaskControl {
  running: Set<number>;
  paused: boolean;
  whenResumed(): Promise<void>;
}

/** Options of every file that is served: no tags of the source or its streams, and no chapters, which have titles. */
export const NO_METADATA = ["-map_metadata", "-1", "-map_chapters", "-1"];

/** ffmpeg could not read or convert a file; `lines` is the last that it said. */
export class EncodeError extends Error {
  constructor(
    message: string,
    readonly lines: string[] = [],
  ) {
    super(message);
  }
}

export function createTask(folder: string, report: (progress: Progress) => void): TaskControl {
  const controller = new AbortController();
  const running = new Set<number>();
  let waiting: (() => void)[] = [];
  let heldMs = 0;
  let heldSince = 0;
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of running) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has just ended by itself.
      }
    }
  };
  const task: InternalTask = {
    folder,
    signal: controller.signal,
    report,
    running,
    paused: false,
    whenResumed: () =>
      task.paused ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(),
    pause() {
      if (!task.paused) heldSince = performance.now();
      task.paused = true;
      signalAll("SIGSTOP");
    },
    resume() {
      if (task.paused) heldMs += performance.now() - heldSince;
      task.paused = false;
      signalAll("SIGCONT");
      for (const resolve of waiting.splice(0)) resolve();
    },
    heldMs: () => heldMs + (task.paused ? performance.now() - heldSince : 0),
    abort() {
      controller.abort();
      for (const resolve of waiting.splice(0)) resolve();
      waiting = [];
    },
  };
  return task;
}

export interface Run {
  /** Seconds of video that will be made; they measure the progress. */
  seconds: number;
  /** The part of the job that this run is, as fractions. */
  from?: number;
  to?: number;
  /** Bytes of the largest file it may write. */
  fileBytes: number;
  /** Processor seconds it may take. */
  cpuSeconds: number;
  /** Someone waits for it: it takes its turn with everything else. */
  urgent?: boolean;
  /** It is a small part of the job; the job itself says how far it is. */
  silent?: boolean;
  watchdogMs?: number;
  /** An existing folder that it writes to, besides that of the task. */
  folder?: string;
  /** Called with the number of video frames, or packets of a copy, that have been written so far. */
  onFrames?(count: number): void;
}

/**
 * Runs ffmpeg in the task's folder, names relative to it, at the lowest priority unless it is urgent.
 *
 * @returns the last lines that it said.
 * @throws {EncodeError} when it fails by itself.
 * @throws {InterruptedError} when it was killed, stands still, takes more than it may, or the disk is full.
 */
export function runFfmpeg(task: Task, args: string[], run: Run): Promise<string[]> {
  return withPlace(() => runWithPlace(task, args, run), { signal: task.signal });
}

async function runWithPlace(task: Task, args: string[], run: Run): Promise<string[]> {
  const internal = task as InternalTask;
  await internal.whenResumed();
  task.signal.throwIfAborted();
  const child = start(
    "ffmpeg",
    ["-v", "error", "-y", "-progress", "pipe:1", "-nostats", "-stats_period", "1", ...args],
    { cpuSeconds: run.cpuSeconds, fileBytes: run.fileBytes, background: !run.urgent },
    {
      cwd: task.folder,
      signal: task.signal,
      writable: [task.folder, ...(run.folder ? [run.folder] : [])],
    },
  );
  const pid = child.pid;
  if (pid) internal.running.add(pid);
  if (internal.paused) internal.pause();

  const lines: string[] = [];
  const { from = 0, to = 1 } = run;
  const watchdogMs = (run.watchdogMs ?? WATCHDOG_MS) * timeoutFactor(args);
  let furthest = "";
  // Not the clock of the day: set forward, it would end what is running.
  let alive = performance.now();
  let fraction = 0;
  let stalled = false;
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line.slice(0, 500));
    if (lines.length > LAST_LINES) lines.shift();
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [name, value = ""] = line.split("=");
    if (name === "out_time_us" && value !== furthest) {
      furthest = value;
      alive = performance.now();
      fraction = Math.min(1, Math.max(0, Number(value) / 1_000_000 / run.seconds || 0));
    } else if (name === "frame") {
      run.onFrames?.(Number(value));
    } else if (name === "speed" && !run.silent) {
      const speed = Number.parseFloat(value);
      task.report({
        fraction: from + fraction * (to - from),
        ...(speed > 0 && { speed }),
      });
    }
  });
  let written = "";
  const watchdog = every(watchdogMs / 20, "watch ffmpeg", () => {
    // Putting the index in front moves the whole file, without a word.
    const io = fraction > 0.99 ? bytesWritten(pid) : "";
    if (internal.paused || io !== written) alive = performance.now();
    written = io;
    if (performance.now() - alive < watchdogMs) return;
    stalled = true;
    child.kill("SIGKILL");
  });

  try {
    const result = await child;
    task.signal.throwIfAborted();
    if (stalled) {
      throw new InterruptedError(`ffmpeg made no progress for ${watchdogMs / 1000} seconds.`);
    }
    throwIfInterrupted("ffmpeg", result, lines);
    if (result.exitCode !== 0)
      throw new EncodeError("ffmpeg could not read or convert the file.", lines);
    return lines;
  } finally {
    void watchdog.stop();
    if (pid) internal.running.delete(pid);
  }
}

/** Linux counts what a process writes; elsewhere the answer is always the same. */
function bytesWritten(pid: number | undefined): string {
  try {
    return /^wchar: (\d+)$/m.exec(fs.readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? "";
  } catch {
    return "";
  }
}
