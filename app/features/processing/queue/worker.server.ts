import { randomBytes } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { HardwareSuspendedError, logDisabledCodecs } from "~/media/encode/encoders.server";
import {
  createTask,
  EncodeError,
  type Progress,
  type TaskControl,
} from "~/media/encode/task.server";
import { diskFigures, hasFreeDiskSpace, WORK_PREFIX } from "~/media/files/disk.server";
import { evictCopies } from "~/media/files/local-copies.server";
import { removeTemporary, temporaryFolder } from "~/media/files/temporary-files.server";
import { ImageError } from "~/media/images/process-image.server";
import { ffmpegAvailable, InterruptedError } from "~/media/probe/ffmpeg.server";
import { RefusedFileError } from "~/media/probe/probe.server";
import { asJob } from "~/media/probe/process-gate.server";
import { StorageError } from "~/media/storage/object-store";
import { onShutdown } from "~/platform/node/shutdown.server";
import { settings } from "~/platform/settings.server";
import { prepared, transaction } from "~db/client.server";
import { every, processState } from "~db/runtime.server";
import type { JobKind, JobRow } from "~db/schema";
import { isBusy, retryWhileBusy } from "~db/write-lock";
import { noteUnscanned, UnscannedError } from "../kinds/scan.server";
import { commitArtifact, NameTakenError, removeStale } from "./commit-artifact.server";
import { askForCleanups, enqueuePopular } from "./enqueue.server";
import { PRIORITIES } from "./kinds";
import {
  produceArtifact,
  sourceOf,
  UnusableSourceError,
  withSourceFiles,
} from "./produce-artifact.server";
import {
  claim,
  fail,
  heartbeat,
  isOurs,
  RESULT_WAIT_MS,
  reclaimFromDeadWorkers,
  returnToQueue,
} from "./queue.server";
import { jobsChanged, onJobsChanged, pausedSince } from "./queue-state.server";
import { DISK_FULL, explain, WITHOUT_FFMPEG } from "./reasons";
import { planSourceRemoval, removeSource } from "./remove-source.server";

/** How often it polls for jobs that another process has added, or whose back-off is over. */
const POLL_EVERY_MS = 5_000;
/** How often it looks for videos that have become popular. */
const POPULAR_EVERY_MS = 10 * 60_000;

const runner = processState(
  "job runner",
  () => startRunner(settings().encoderConcurrency),
  (started) => started.stop(),
);

/** Lets the server's own process work on the queue, until it is asked to leave. */
export function startJobs(): void {
  if (ffmpegAvailable()) logDisabledCodecs();
  else console.warn(WITHOUT_FFMPEG);
  if (!hasWork() || settings().encoderConcurrency === 0) return;
  const { stop } = runner();
  onShutdown(stop);
}

export interface Runner {
  /**
   * Resolves when there is nothing to do now; for the terminal and for tests.
   *
   * @throws whatever kept the queue from being read the last time.
   */
  idle(): Promise<void>;
  /** Takes no more jobs, and gives back those that run. */
  stop(): Promise<void>;
}

/**
 * Works on the queue, `concurrency` jobs at once. A new video's playable copy never waits for the
 * qualities of an old one, nor does what somebody wants now: what runs is held where it is until that
 * is done.
 *
 * @param kinds of jobs that it takes; left out: all.
 */
export function startRunner(concurrency: number, kinds?: readonly JobKind[]): Runner {
  const active = new Set<Work>();
  let urgent: Work | undefined;
  let stopped = false;
  let polling: Promise<void> | undefined;
  let again = false;
  let first = true;
  let popularAt = 0;
  let full = false;
  /** What the last poll failed with. */
  let failure: unknown;

  const poll = () => {
    if (polling) again = true;
    else polling = Promise.resolve().then(pollOnce);
    return polling;
  };

  async function pollOnce(): Promise<void> {
    failure = undefined;
    try {
      do {
        again = false;
        await claimJobs();
      } while (again && !stopped);
    } catch (error) {
      failure = error;
      // While another process writes, nothing is begun; the timer polls again.
      if (!isBusy(error)) console.error("The queue could not be read:", error);
    } finally {
      polling = undefined;
    }
  }

  async function claimJobs(): Promise<void> {
    if (stopped || !hasWork()) return;
    if (first) {
      await reclaimFromDeadWorkers();
      await removeLeftovers();
      if (ffmpegAvailable()) await askForCleanups();
      first = false;
    }
    if (performance.now() >= popularAt && ffmpegAvailable()) {
      popularAt = performance.now() + POPULAR_EVERY_MS;
      await enqueuePopular();
    }
    // After a long sleep of the machine our own leases look expired; they are not for us to take.
    for (const work of [...active, ...(urgent ? [urgent] : [])]) work.beat();
    if (urgent && !isUrgent(urgent)) {
      follow(urgent);
      urgent = undefined;
    }
    pauseOrResume();
    if (!(await diskHasSpace())) return;
    while (!stopped && active.size < concurrency) {
      const job = await claim(undefined, undefined, { kinds: kindsNow() });
      if (!job) return;
      follow(beginWork(job));
    }
    if (stopped || urgent || active.size > concurrency || [...active].some(isUrgent)) return;
    const job = await claim(PRIORITIES.transcode, undefined, { kinds: kindsNow() });
    if (!job) return;
    const work = beginWork(job);
    urgent = work;
    pauseOrResume();
    work.ended.then(() => {
      if (urgent !== work) return;
      urgent = undefined;
      pauseOrResume();
      void poll();
    });
  }

  /** Without ffmpeg, files are scanned and nothing else. */
  function kindsNow(): readonly JobKind[] | undefined {
    return ffmpegAvailable() ? kinds : ["scan"];
  }

  /**
   * Holds everything while the queue is paused, and what runs while something urgent does. A stream that
   * has begun meanwhile goes on behind those that began before, and before what nobody waits for.
   */
  function pauseOrResume(): void {
    const isPaused = pausedSince() !== null;
    const inOrder = [...active].sort((a, b) => a.job.priority - b.job.priority);
    for (const [at, { task }] of inOrder.entries()) {
      if (isPaused || urgent || at >= concurrency) task.pause();
      else task.resume();
    }
    if (isPaused) urgent?.task.pause();
    else urgent?.task.resume();
  }

  async function diskHasSpace(): Promise<boolean> {
    const wasFull = full;
    full = !(await hasFreeDiskSpace()) && !(await evictsEnough());
    if (full && !wasFull) {
      console.warn("The disk is nearly full: nothing is made of videos until there is room.");
    } else if (wasFull && !full) {
      console.log("There is room on the disk again: the queue goes on.");
    }
    if (full !== wasFull) jobsChanged("progress");
    return !full;
  }

  /** Copies of files in the store must not keep the queue from working. */
  async function evictsEnough(): Promise<boolean> {
    if (!settings().storage) return false;
    const { freeBytes, reserveBytes } = await diskFigures();
    const evicted = await evictCopies({ needed: reserveBytes - freeBytes }).catch(() => 0);
    return evicted > 0 && (await hasFreeDiskSpace());
  }

  function follow(work: Work): void {
    active.add(work);
    work.ended.then(() => {
      active.delete(work);
      pauseOrResume();
      void poll();
    });
  }

  const stopListening = onJobsChanged((change) => {
    if (change === "work") void poll();
  });
  const polls = every(POLL_EVERY_MS, "poll the queue", poll, { firstMs: 0 });

  return {
    async idle() {
      await poll();
      for (;;) {
        const [work] = urgent ? [urgent] : active;
        if (!work) {
          if (!polling && !failure) return;
          if (!polling && !isBusy(failure)) throw failure;
          await poll();
        } else await work.ended;
      }
    },
    async stop() {
      stopped = true;
      void polls.stop();
      stopListening();
      await polling;
      await Promise.all(
        [...active, ...(urgent ? [urgent] : [])].map((work) => work.returnToQueue()),
      );
    },
  };
}

/** Whether this machine can work on any job. */
export function hasWork(): boolean {
  return ffmpegAvailable() || settings().scanCommand !== undefined;
}

/** Until it can be watched; a stream then has another priority, see `earlyWatch`. */
function isUrgent({ job }: Work): boolean {
  return job.priority <= PRIORITIES.transcode;
}

/** How often a running job prolongs its lease; a third of the lease. */
const HEARTBEAT_MS = 10_000;
/** How often at most its progress is written. */
const PROGRESS_MS = 1_000;
/** Until a job runs again that found the disk full, or the store away. */
const RETRY_MS = 60_000;
/** Until a command that came to no result runs again; no job waits longer, see `claimNext`. */
const SCAN_RETRY_MS = 5 * 60_000;
/** Given back after this long, even when something still has to end. */
const LEAVE_WITHIN_MS = 2_000;

/** A job that this process is working on. */
export interface Work {
  job: JobRow;
  task: TaskControl;
  /** Resolves, and never rejects, when the job is done, failed, or given back. */
  ended: Promise<void>;
  /** Prolongs the lease. */
  beat(): void;
  /** Ends it at once and gives it back. */
  returnToQueue(): Promise<void>;
}

/** Starts on a job that was claimed. */
export function beginWork(job: JobRow): Work {
  let latest: Progress = { fraction: 0 };
  // Not the clock of the day, which may be set.
  let writtenAt = performance.now();
  const startedAt = performance.now();
  let returned = false;
  const sendHeartbeat = () => {
    writtenAt = performance.now();
    const workedMs = performance.now() - startedAt - task.pausedMs();
    if (!heartbeat(job, { ...estimate(latest, workedMs) })) task.abort();
  };
  // Of this attempt only: a process that has lost its lease still removes its own folder.
  const folder = `${WORK_PREFIX}${job.id}-${randomBytes(6).toString("hex")}`;
  const task = createTask(path.join(temporaryFolder(), folder), (progress) => {
    latest = progress;
    if (performance.now() - writtenAt >= PROGRESS_MS) sendHeartbeat();
  });
  const pulse = every(HEARTBEAT_MS, `extend the lease of job ${job.id}`, sendHeartbeat);

  const ended = asJob(() => attempt(job, task))
    .catch((error) => recordFailure(job, error, task.signal.aborted, returned))
    .catch((error) => console.error("The end of a job could not be recorded:", error))
    .finally(async () => {
      await pulse.stop();
      await removeTemporary(task.folder);
    });
  return {
    job,
    task,
    ended,
    beat: sendHeartbeat,
    async returnToQueue() {
      returned = true;
      task.abort();
      const late = setTimeout(LEAVE_WITHIN_MS, "late", { ref: false });
      if ((await Promise.race([ended, late])) === "late") await returnToQueue(job);
    },
  };
}

async function attempt(job: JobRow, task: TaskControl): Promise<void> {
  const source = await sourceOf(job);
  if (!source) throw new UnusableSourceError("The video has no file in this library.");
  await mkdir(task.folder, { recursive: true });
  // Commit only after `withSourceFiles` has confirmed that the store delivered every byte.
  const { artifact, removal, note } = await withSourceFiles(job, source, async () => {
    task.signal.throwIfAborted();
    const produced = await produceArtifact(job, source, task);
    task.signal.throwIfAborted();
    return { artifact: produced, ...(await planSourceRemoval(job, source, task)) };
  });
  // Before the commit: if the process is killed in between, the cleanup job runs again.
  if (removal && job.kind === "cleanup") await removeSource(job, source, removal);
  const result = note ? { ...artifact, note } : artifact;
  const isCommitted = await commitArtifact(job, source, result, task.folder);
  if (removal && job.kind !== "cleanup" && isCommitted) await removeSource(job, source, removal);
}

/** Records how an attempt has failed, or returns the job to the queue. */
export async function recordFailure(
  job: JobRow,
  error: unknown,
  aborted: boolean,
  returned: boolean,
): Promise<void> {
  if (returned) return returnToQueue(job);
  // The video was deleted, or another worker has the job: it is theirs.
  if (aborted) return;
  if (error instanceof UnscannedError) {
    console.error(`The file of job ${job.id} was not scanned: ${error.message}`);
    const note = () => isOurs(job) && noteUnscanned(job.video_id, error.message);
    await retryWhileBusy(() => transaction(note), RESULT_WAIT_MS);
    // Behind what new videos need, which a command that hangs would hold up again and again.
    return returnToQueue(job, SCAN_RETRY_MS, error.message, PRIORITIES.ladder + 1);
  }
  const lines = error instanceof EncodeError ? error.lines : [];
  const { code } = error as NodeJS.ErrnoException;
  const isPictureWithoutRoom = error instanceof ImageError && error.failure === "disk full";
  if (code === "ENOSPC" || isPictureWithoutRoom) {
    return returnToQueue(job, RETRY_MS, DISK_FULL);
  }
  // The store may answer again; what is not in it stays so.
  if (error instanceof StorageError && !error.isPermanent) {
    console.error(`Job ${job.id} (${job.kind}) waits: ${error.message}`);
    return returnToQueue(job, RETRY_MS);
  }
  if (error instanceof HardwareSuspendedError) {
    return returnToQueue(job, error.remainingMs, error.message);
  }
  // Another process has held the lock of the database for minutes; that is no fault of the job.
  if (isBusy(error)) return returnToQueue(job);
  // Only what ffmpeg says of the file's bytes is final; a signal or a time limit is not.
  const final =
    error instanceof RefusedFileError ||
    error instanceof UnusableSourceError ||
    error instanceof NameTakenError;
  const expected = final || error instanceof EncodeError || error instanceof InterruptedError;
  if (!expected) console.error(`Job ${job.id} (${job.kind}) failed:`, error);
  await fail(job, explain((error as Error).message, lines), final);
  const source = job.kind === "ladder" ? await sourceOf(job) : undefined;
  if (source) await removeStale(source, "ladder");
}

/** How far the job is, and how long it will take at the pace it has had. */
function estimate({ fraction, speed }: Progress, workedMs: number) {
  const elapsed = workedMs / 1_000;
  return {
    progress: fraction,
    ...(speed && { speed }),
    ...(fraction > 0.02 && { secondsLeft: (elapsed * (1 - fraction)) / fraction }),
  };
}

/** Removes the folders of attempts that were killed, but for those of jobs that run now. */
async function removeLeftovers(): Promise<void> {
  const running = prepared(
    "SELECT id FROM jobs WHERE state = 'running' AND lease_until > ?",
  ).pluck();
  const ids = running.all(new Date().toISOString());
  for (const name of await readdir(temporaryFolder()).catch(() => [])) {
    const id = Number.parseInt(name.slice(WORK_PREFIX.length), 10);
    if (!name.startsWith(WORK_PREFIX) || ids.includes(id)) continue;
    await removeTemporary(path.join(temporaryFolder(), name));
  }
}
