import { database } from "~db/client.server";
import { isBusy } from "~db/write-lock";
import { ffmpegAvailable } from "../probe/ffmpeg.server";
import { diskHasRoom } from "./disk.server";
import { jobsChanged, onJobsChanged } from "./job-events.server";
import { PRIORITIES } from "./kinds";
import { claim, takeOverFromTheDead } from "./queue.server";
import { beginWork, removeLeftovers, type Work } from "./worker.server";

/** How often it looks for jobs that another process has added, or whose back-off is over. */
const LOOK_EVERY_MS = 5_000;

export interface Runner {
  /** Settles when there is nothing to do now; for the terminal and for tests. */
  idle(): Promise<void>;
  /** Takes no more jobs, and gives back those that run. */
  stop(): Promise<void>;
}

/**
 * Works on the queue, `concurrency` jobs at once. A new video's playable copy never waits for the
 * qualities of an old one: what runs is held where it is until that is done.
 */
export function startRunner(concurrency: number): Runner {
  const active = new Set<Work>();
  let urgent: Work | undefined;
  let stopped = false;
  let looking: Promise<void> | undefined;
  let again = false;
  let first = true;
  let full = false;

  const look = () => {
    if (looking) again = true;
    else looking = Promise.resolve().then(lookOnce);
    return looking;
  };

  async function lookOnce(): Promise<void> {
    try {
      do {
        again = false;
        await takeJobs();
      } while (again && !stopped);
    } catch (error) {
      // While another process writes, nothing is begun; the timer looks again.
      if (!isBusy(error)) console.error("The queue could not be read:", error);
    } finally {
      looking = undefined;
    }
  }

  async function takeJobs(): Promise<void> {
    if (stopped || !ffmpegAvailable()) return;
    if (first) {
      first = false;
      await takeOverFromTheDead();
      await removeLeftovers(await runningNow());
    }
    // After a long sleep of the machine our own leases look expired; they are not for us to take.
    for (const work of [...active, ...(urgent ? [urgent] : [])]) work.beat();
    if (!(await roomIsThere())) return;
    while (!stopped && active.size < concurrency) {
      const job = claim();
      if (!job) return;
      follow(beginWork(job), active);
    }
    if (stopped || urgent || [...active].some(({ job }) => job.kind === "playable")) return;
    const job = claim(PRIORITIES.playable);
    if (!job) return;
    for (const { task } of active) task.pause();
    urgent = beginWork(job);
    urgent.ended.then(() => {
      urgent = undefined;
      for (const { task } of active) task.resume();
      void look();
    });
  }

  async function roomIsThere(): Promise<boolean> {
    const wasFull = full;
    full = !(await diskHasRoom());
    if (full && !wasFull) {
      console.warn("The disk is nearly full: nothing is made of videos until there is room.");
    } else if (wasFull && !full) {
      console.log("There is room on the disk again: the queue goes on.");
    }
    if (full !== wasFull) jobsChanged("progress");
    return !full;
  }

  function follow(work: Work, among: Set<Work>): void {
    among.add(work);
    work.ended.then(() => {
      among.delete(work);
      void look();
    });
  }

  const stopListening = onJobsChanged((change) => {
    if (change === "work") void look();
  });
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  void look();

  return {
    async idle() {
      await look();
      for (;;) {
        const [work] = urgent ? [urgent] : active;
        if (!work) {
          if (!looking) return;
          await looking;
        } else await work.ended;
      }
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      stopListening();
      await looking;
      await Promise.all([...active, ...(urgent ? [urgent] : [])].map((work) => work.giveBack()));
    },
  };
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
