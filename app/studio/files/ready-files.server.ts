import { onJobsChanged } from "~/media/jobs/job-events.server";
import { prepared } from "~db/client.server";
import { isBusy } from "~db/write-lock";
import { takeOver } from "./take-over.server";

/** Jobs may be done by another process, which nobody here is told of. */
const POLL_EVERY_MS = 5_000;

/** Lets files take over of which all is made: as soon as their last job is done, and at the start. */
export function startTakingOver(): void {
  let isWorking = false;
  let again = false;
  const poll = async () => {
    again = true;
    if (isWorking) return;
    isWorking = true;
    try {
      while (again) {
        again = false;
        await takeOverReady();
      }
    } catch (error) {
      // Another program writes: the next poll is soon.
      if (!isBusy(error)) console.error("A file could not replace another:", error);
    } finally {
      isWorking = false;
    }
  };
  onJobsChanged((change) => {
    if (change === "work") void poll();
  });
  setInterval(poll, POLL_EVERY_MS).unref();
  void poll();
}

/** Lets each file take over of which all is made. */
export async function takeOverReady(): Promise<void> {
  const pending = prepared("SELECT id FROM video_files WHERE state = 'pending'").pluck();
  for (const id of pending.all() as string[]) await takeOver(id, null);
}
