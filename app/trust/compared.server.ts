import { onJobsChanged } from "~/media/jobs/job-events.server";
import { prepared, writeTransaction } from "~db/client.server";
import { writingTurns } from "~db/threads/checkpoint.server";
import { isBusy } from "~db/write-lock";
import { releaseHold } from "./publication.server";

const EVERY_MS = 10_000;
/** In one transaction. */
const AT_ONCE = 32;

/**
 * Lets go of videos that were held until a job had compared them with the block list: when a job ends, and
 * at the start what was compared before the process was killed. One that looks like a removed film is held
 * for that by then, in the transaction that ended the job.
 */
export function startReleasingCompared(): void {
  let isWorking = false;
  const work = async () => {
    if (isWorking) return;
    isWorking = true;
    try {
      await releaseCompared();
    } catch (error) {
      if (!isBusy(error)) console.error("Could not release what has been compared:", error);
    } finally {
      isWorking = false;
    }
  };
  onJobsChanged((change) => {
    if (change === "work") void work();
  });
  setInterval(work, EVERY_MS).unref();
  void work();
}

/**
 * Ends the holds of videos that have been compared; they are published where they were to be.
 *
 * @returns how many.
 */
export async function releaseCompared(): Promise<number> {
  const turn = writingTurns();
  let released = 0;
  for (;;) {
    // With the reason as in the index, which has these alone.
    const ids = prepared(
      `SELECT video_id FROM video_holds INDEXED BY video_holds_comparing
       WHERE reason = 'comparing' AND EXISTS (SELECT 1 FROM jobs
         WHERE jobs.video_id = video_holds.video_id AND kind = 'fingerprint' AND state = 'done')
       LIMIT ${AT_ONCE}`,
    )
      .pluck()
      .all() as string[];
    if (ids.length === 0) return released;
    released += await writeTransaction(
      () => ids.filter((videoId) => releaseHold({ videoId, reason: "comparing" })).length,
    );
    await turn();
  }
}

/** Whether a video waits for its comparison. */
export function isUncompared(videoId: string): boolean {
  return (
    prepared("SELECT 1 FROM video_holds WHERE video_id = ? AND reason = 'comparing'").get(
      videoId,
    ) !== undefined
  );
}
