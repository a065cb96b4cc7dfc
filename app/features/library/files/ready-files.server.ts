import { onJobsChanged } from "~/features/processing/queue/queue-state.server";
import { prepared } from "~db/client.server";
import { every } from "~db/runtime.server";
import { takeOver } from "./take-over.server";

/** Jobs may be done by another process, which nobody here is told of. */
const POLL_EVERY_MS = 5_000;

/** Lets files take over of which all is made: as soon as their last job is done, and at the start. */
export function startTakingOver(): void {
  const polls = every(POLL_EVERY_MS, "replace a video's file", takeOverReady, { firstMs: 0 });
  onJobsChanged((change) => {
    if (change === "work") polls.run();
  });
}

/** Lets each file take over of which all is made. */
export async function takeOverReady(): Promise<void> {
  const pending = prepared("SELECT id FROM video_files WHERE state = 'pending'").pluck();
  for (const id of pending.all() as string[]) await takeOver(id, null);
}
