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
import { recordUnscanned, UnscannedError } from "../kinds/scan.server";
import { commitArtifact, NameTakenError, removeStale } from "./commit-artifact.server";
import { enqueuePopularCodecs, requeueCleanups } from "./enqueue.server";
import { DISK_FULL, describeFailure, WITHOUT_FFMPEG } from "./failure-reasons";
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
  hasLease,
  heartbeat,
  RESULT_WAIT_MS,
  reclaimFromDeadWorkers,
  returnToQueue,
} from "./queue.server";
import { jobsChanged, onJobsChanged, pausedSince } from "./queue-state.server";
import { planSourceRemoval, removeSource } from "./remove-source.server";

/** How often the runner polls for jobs that another process has added and for jobs whose retry delay has passed. */
const POLL_EVERY_MS = 5_000;
/** How often the runner checks for videos that have become popular. */
const POPULAR_EVERY_MS = 10 * 60_000;

const runner = processState(
  "job runner",
  () => startRunner(settings().encoderConcurrency),
  (started) => started.stop(),
);

/** Starts processing the queue in the server's own process, and continues until it shuts down. */
export function startJobs(): void {
  if (ffmpegAvailable()) logDisabledCodecs();
  else console.warn(WITHOUT_FFMPEG);
  if (!canRunJobs() || settings().encoderConcurrency === 0) return;
  const { stop } = runner();
  onShutdown(stop);
}

export interface Runner {
  /**
   * Resolves when there are no jobs to run at the moment. Used by `npm run jobs` and tests.
   *
   * @throws the error with which the last poll failed.
   */
  idle(): Promise<void>;
  /** Stops claiming jobs and returns the running ones to the queue. */
  stop(): Promise<void>;
}

/**
 * Processes the queue with `concurrency` jobs in parallel. Urgent jobs, such as the playable copy of a new video or a
 * job that was moved to the front, never wait: running jobs are suspended until the urgent ones are done.
 *
 * @param kinds the kinds of jobs to claim; all by default.
 */
export function startRunner(concurrency: number, kinds?: readonly JobKind[]): Runner {
  const active = new Set<RunningJob>();
  let urgent: RunningJob | undefined;
  let stopped = false;
  let polling: Promise<void> | undefined;
  let pollAgain = false;
  let isFirstPoll = true;
  let popularAt = 0;
  let isDiskFull = false;
  /** The error thrown by the last poll. */
  let failure: unknown;

  const poll = () => {
    if (polling) pollAgain = true;
    else polling = Promise.resolve().then(pollOnce);
    return polling;
  };

  async function pollOnce(): Promise<void> {
    failure = undefined;
    try {
      do {
        pollAgain = false;
        await claimJobs();
      } while (pollAgain && !stopped);
    } catch (error) {
      failure = error;
      // If another process is writing, no jobs are claimed until the timer triggers the next poll.
      if (!isBusy(error)) console.error("Could not read the queue:", error);
    } finally {
      polling = undefined;
    }
  }

  async function claimJobs(): Promise<void> {
    if (stopped || !canRunJobs()) return;
    if (isFirstPoll) {
      await reclaimFromDeadWorkers();
      await removeLeftovers();
      if (ffmpegAvailable()) await requeueCleanups();
      isFirstPoll = false;
    }
    if (performance.now() >= popularAt && ffmpegAvailable()) {
      popularAt = performance.now() + POPULAR_EVERY_MS;
      await enqueuePopularCodecs();
    }
    // After the machine has slept for a long time, this process's leases appear to have expired. They are extended
    // before any job is claimed, because this process would otherwise claim the jobs that it is already running.
    for (const work of [...active, ...(urgent ? [urgent] : [])]) work.beat();
    if (urgent && !isUrgent(urgent)) {
      track(urgent);
      urgent = undefined;
    }
    pauseOrResume();
    if (!(await diskHasSpace())) return;
    while (!stopped && active.size < concurrency) {
      const job = await claim(undefined, undefined, { kinds: availableKinds() });
      if (!job) return;
      track(beginWork(job));
    }
    if (stopped || urgent || active.size > concurrency || [...active].some(isUrgent)) return;
    const job = await claim(PRIORITIES.transcode, undefined, { kinds: availableKinds() });
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

  /** Without ffmpeg, scans are the only jobs that can run. */
  function availableKinds(): readonly JobKind[] | undefined {
    return ffmpegAvailable() ? kinds : ["scan"];
  }

  /**
   * Suspends all jobs while the queue is paused, and all jobs that aren't urgent while an urgent one is running. If
   * more jobs than `concurrency` are left afterwards, those with the highest priority continue.
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
    const wasDiskFull = isDiskFull;
    isDiskFull = !(await hasFreeDiskSpace()) && !(await evictsEnoughCopies());
    if (isDiskFull && !wasDiskFull) {
      console.warn("The disk is almost full. Processing is on hold until there is enough space.");
    } else if (wasDiskFull && !isDiskFull) {
      console.log("There is enough disk space again. Processing has resumed.");
    }
    if (isDiskFull !== wasDiskFull) jobsChanged("progress");
    return !isDiskFull;
  }

  /** Frees the space taken by local copies of stored files; such copies must not block the queue. */
  async function evictsEnoughCopies(): Promise<boolean> {
    if (!settings().storage) return false;
    const { freeBytes, reserveBytes } = await diskFigures();
    const evicted = await evictCopies({ needed: reserveBytes - freeBytes }).catch(() => 0);
    return evicted > 0 && (await hasFreeDiskSpace());
  }

  function track(work: RunningJob): void {
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

/** Returns whether this machine can run jobs of any kind. */
export function canRunJobs(): boolean {
  return ffmpegAvailable() || settings().scanCommand !== undefined;
}

/**
 * Returns whether the job is urgent. Once a video can be watched, `earlyWatch` lowers the priority of its stream's job,
 * which is then no longer urgent.
 */
function isUrgent({ job }: RunningJob): boolean {
  return job.priority <= PRIORITIES.transcode;
}

/** How often a running job extends its lease: a third of the lease's duration. */
const HEARTBEAT_MS = 10_000;
/** The minimum interval between writes of a job's progress. */
const PROGRESS_MS = 1_000;
/** The delay before retrying a job that found the disk full or the store unavailable. */
const RETRY_MS = 60_000;
/** The delay before retrying a scan that produced no verdict. It must not exceed the longest delay, see `claimNext`. */
const SCAN_RETRY_MS = 5 * 60_000;
/** At shutdown, a job is returned to the queue after this time, even if its process is still running. */
const SHUTDOWN_TIMEOUT_MS = 2_000;

/** A job that this process is running. */
export interface RunningJob {
  job: JobRow;
  task: TaskControl;
  /** Resolves when the job is done, has failed, or has been returned to the queue. Never rejects. */
  ended: Promise<void>;
  /** Extends the job's lease. */
  beat(): void;
  /** Aborts the job and returns it to the queue. */
  returnToQueue(): Promise<void>;
}

/** Starts running a claimed job. */
export function beginWork(job: JobRow): RunningJob {
  let latest: Progress = { fraction: 0 };
  // A monotonic clock is used, because the wall clock may be adjusted.
  let writtenAt = performance.now();
  const startedAt = performance.now();
  let returned = false;
  const sendHeartbeat = () => {
    writtenAt = performance.now();
    const workedMs = performance.now() - startedAt - task.pausedMs();
    if (!heartbeat(job, { ...estimate(latest, workedMs) })) task.abort();
  };
  // Each attempt has a separate folder, so a process that has lost its lease can't remove another attempt's folder.
  const folder = `${WORK_PREFIX}${job.id}-${randomBytes(6).toString("hex")}`;
  const task = createTask(path.join(temporaryFolder(), folder), (progress) => {
    latest = progress;
    if (performance.now() - writtenAt >= PROGRESS_MS) sendHeartbeat();
  });
  const heartbeats = every(HEARTBEAT_MS, `extend the lease of job ${job.id}`, sendHeartbeat);

  const ended = asJob(() => attempt(job, task))
    .catch((error) => recordFailure(job, error, task.signal.aborted, returned))
    .catch((error) => console.error("Could not save the outcome of a job:", error))
    .finally(async () => {
      await heartbeats.stop();
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
      const late = setTimeout(SHUTDOWN_TIMEOUT_MS, "late", { ref: false });
      if ((await Promise.race([ended, late])) === "late") await returnToQueue(job);
    },
  };
}

async function attempt(job: JobRow, task: TaskControl): Promise<void> {
  const source = await sourceOf(job);
  if (!source) throw new UnusableSourceError("The video has no file in this library.");
  await mkdir(task.folder, { recursive: true });
  // The result must only be committed after `withSourceFiles` has confirmed that the store delivered every byte.
  const { artifact, removal, note } = await withSourceFiles(job, source, async () => {
    task.signal.throwIfAborted();
    const produced = await produceArtifact(job, source, task);
    task.signal.throwIfAborted();
    return { artifact: produced, ...(await planSourceRemoval(job, source, task)) };
  });
  // The cleanup job removes the source before the commit, so that it runs again if the process is killed in between.
  if (removal && job.kind === "cleanup") await removeSource(job, source, removal);
  const result = note ? { ...artifact, note } : artifact;
  const isCommitted = await commitArtifact(job, source, result, task.folder);
  if (removal && job.kind !== "cleanup" && isCommitted) await removeSource(job, source, removal);
}

/** Records the failure of an attempt, or returns the job to the queue. */
export async function recordFailure(
  job: JobRow,
  error: unknown,
  aborted: boolean,
  returned: boolean,
): Promise<void> {
  if (returned) return returnToQueue(job);
  // The video has been deleted, or another worker now has the job.
  if (aborted) return;
  if (error instanceof UnscannedError) {
    console.error(`Could not scan the file of job ${job.id}: ${error.message}`);
    const note = () => hasLease(job) && recordUnscanned(job.video_id, error.message);
    await retryWhileBusy(() => transaction(note), RESULT_WAIT_MS);
    // The scan is retried after the jobs for new videos, because a hanging command would otherwise delay those jobs
    // again and again.
    return returnToQueue(job, SCAN_RETRY_MS, error.message, PRIORITIES.ladder + 1);
  }
  const lines = error instanceof EncodeError ? error.lines : [];
  const { code } = error as NodeJS.ErrnoException;
  const isImageWithoutSpace = error instanceof ImageError && error.failure === "disk full";
  if (code === "ENOSPC" || isImageWithoutSpace) {
    return returnToQueue(job, RETRY_MS, DISK_FULL);
  }
  // Errors from the store are temporary, unless the object is missing.
  if (error instanceof StorageError && !error.isPermanent) {
    console.error(`Job ${job.id} (${job.kind}) is waiting: ${error.message}`);
    return returnToQueue(job, RETRY_MS);
  }
  if (error instanceof HardwareSuspendedError) {
    return returnToQueue(job, error.remainingMs, error.message);
  }
  // Another process has been holding the database lock for minutes, which isn't the job's fault.
  if (isBusy(error)) return returnToQueue(job);
  // Failures caused by the file are final, unlike those caused by a signal or a time limit.
  const final =
    error instanceof RefusedFileError ||
    error instanceof UnusableSourceError ||
    error instanceof NameTakenError;
  const expected = final || error instanceof EncodeError || error instanceof InterruptedError;
  if (!expected) console.error(`Job ${job.id} (${job.kind}) failed:`, error);
  await fail(job, describeFailure((error as Error).message, lines), final);
  const source = job.kind === "ladder" ? await sourceOf(job) : undefined;
  if (source) await removeStale(source, "ladder");
}

/** Returns a job's progress, and the remaining time at its average speed so far. */
function estimate({ fraction, speed }: Progress, workedMs: number) {
  const elapsed = workedMs / 1_000;
  return {
    progress: fraction,
    ...(speed && { speed }),
    ...(fraction > 0.02 && { secondsLeft: (elapsed * (1 - fraction)) / fraction }),
  };
}

/** Removes the folders of killed attempts, except those of jobs that are currently running. */
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
