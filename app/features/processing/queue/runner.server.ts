import { diskFigures, hasFreeDiskSpace } from "~/media/files/disk.server";
import { evictCopies } from "~/media/files/local-copies.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { settings } from "~/platform/settings.server";
import { database } from "~db/client.server";
import { every } from "~db/runtime.server";
import type { JobKind } from "~db/schema";
import { isBusy } from "~db/write-lock";
import { askForCleanups } from "./convert-again.server";
import { jobsChanged, onJobsChanged } from "./job-events.server";
import { PRIORITIES } from "./kinds";
import { isQueuePaused } from "./pause.server";
import { enqueuePopular } from "./popular.server";
import { claim, reclaimFromDeadWorkers } from "./queue.server";
import { beginWork, removeLeftovers, type Work } from "./worker.server";

/** How often it polls for jobs that another process has added, or whose back-off is over. */
const POLL_EVERY_MS = 5_000;
/** How often it looks for videos that have become popular. */
const POPULAR_EVERY_MS = 10 * 60_000;

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
      await removeLeftovers(await runningNow());
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
    hold();
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
    hold();
    work.ended.then(() => {
      if (urgent !== work) return;
      urgent = undefined;
      hold();
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
  function hold(): void {
    const isPaused = isQueuePaused();
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
      hold();
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

/** Until it can be watched; a stream then has another priority, see early-watch.server.ts. */
function isUrgent({ job }: Work): boolean {
  return job.priority <= PRIORITIES.transcode;
}

async function runningNow(): Promise<Set<number>> {
  const rows = await database()
    .selectFrom("jobs")
    .select("id")
    .where("state", "=", "running")
    .where("lease_until", ">", new Date().toISOString())
    .execute();
  return new Set(rows.map(({ id }) => id));
}
