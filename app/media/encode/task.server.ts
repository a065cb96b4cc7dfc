import fs from "node:fs";
import { createInterface } from "node:readline";
import { every } from "~db/runtime.server";
import { InterruptedError, start, throwIfInterrupted, timeoutFactor } from "../probe/ffmpeg.server";
import { withSlot } from "../probe/process-gate.server";

/** How long ffmpeg may run without making progress before it is killed. */
export const WATCHDOG_MS = 60_000;
/**
 * The number of output lines that are kept, which is enough for the summaries at the end, such as those of two
 * encoders.
 */
const LAST_LINES = 100;

export interface Progress {
  /** 0 to 1. */
  fraction: number;
  /** The number of seconds of video encoded per second. */
  speed?: number;
}

/** One attempt at a job: its folder, cancellation and progress. */
export interface Task {
  /** The attempt's folder in uploads/tmp. */
  folder: string;
  signal: AbortSignal;
  report(progress: Progress): void;
}

/** A task with the controls that its runner uses. */
export interface TaskControl extends Task {
  /** Pauses the work in favor of something more urgent. */
  pause(): void;
  resume(): void;
  /** Returns the total time for which the task has been paused so far. */
  pausedMs(): number;
  /** Stops the work immediately. Pending calls throw. */
  abort(): void;
}

interface InternalTask extends TaskControl {
  running: Set<number>;
  paused: boolean;
  whenResumed(): Promise<void>;
}

/**
 * The options for every served file. They drop the tags of the source and its streams. They also drop chapters, because
 * chapters have titles.
 */
export const NO_METADATA = ["-map_metadata", "-1", "-map_chapters", "-1"];

/** Thrown if ffmpeg couldn't read or convert a file. `lines` are the last lines of its output. */
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
  let pausedMs = 0;
  let pausedSince = 0;
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of running) {
      try {
        process.kill(pid, signal);
      } catch {
        // The process has already exited.
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
      if (!task.paused) pausedSince = performance.now();
      task.paused = true;
      signalAll("SIGSTOP");
    },
    resume() {
      if (task.paused) pausedMs += performance.now() - pausedSince;
      task.paused = false;
      signalAll("SIGCONT");
      for (const resolve of waiting.splice(0)) resolve();
    },
    pausedMs: () => pausedMs + (task.paused ? performance.now() - pausedSince : 0),
    abort() {
      controller.abort();
      for (const resolve of waiting.splice(0)) resolve();
      waiting = [];
    },
  };
  return task;
}

export interface Run {
  /** The number of seconds of video to be encoded, used to report progress. */
  seconds: number;
  /** The part of the job's progress that this run covers: a range between 0 and 1. */
  from?: number;
  to?: number;
  /** The size limit for each written file, in bytes. */
  fileBytes: number;
  /** The limit on CPU seconds. */
  cpuSeconds: number;
  /** Whether someone is waiting for the result. If so, ffmpeg runs at normal priority. */
  urgent?: boolean;
  /** Whether to skip progress reports, because the run is only a small part of the job. */
  silent?: boolean;
  watchdogMs?: number;
  /** An existing folder to which ffmpeg may write, in addition to the task's folder. */
  folder?: string;
  /** Called with the number of video frames (or packets, if copied) written so far. */
  onFrames?(count: number): void;
}

/**
 * Runs ffmpeg in the task's folder, to which paths are relative. Unless the run is urgent, ffmpeg gets the lowest
 * priority.
 *
 * @returns the last lines of its error output.
 * @throws {EncodeError} if ffmpeg fails.
 * @throws {InterruptedError} if ffmpeg was killed, stalled or exceeded a limit, or if the disk is full.
 */
export function runFfmpeg(task: Task, args: string[], run: Run): Promise<string[]> {
  return withSlot(() => runWithPlace(task, args, run), { signal: task.signal });
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
  // Use monotonic time, because otherwise a change to the system clock could kill running processes.
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
    // Moving the index to the front rewrites the whole file without reporting progress.
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

/** Returns the number of bytes that a process has written, as reported by Linux; an empty string on other systems. */
function bytesWritten(pid: number | undefined): string {
  try {
    return /^wchar: (\d+)$/m.exec(fs.readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? "";
  } catch {
    return "";
  }
}
