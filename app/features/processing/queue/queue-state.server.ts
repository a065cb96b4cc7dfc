import { prepared, transaction } from "~db/client.server";
import { processState } from "~db/runtime.server";

/** `work`: there may be jobs to run. `progress`: only displayed values have changed. */
type Change = "work" | "progress";
type Listener = (change: Change) => void;

const listeners = processState("job listeners", () => new Set<Listener>());

/** Calls `listener` whenever this process changes a job. Returns a function that removes the listener. */
export function onJobsChanged(listener: Listener): () => void {
  const all = listeners();
  all.add(listener);
  return () => all.delete(listener);
}

/** Notifies the listeners in this process that jobs have changed. */
export function jobsChanged(change: Change): void {
  for (const listener of listeners()) listener(change);
}

/** Returns the time at which the queue was paused (ISO 8601, UTC), or null if it isn't paused. */
export function pausedSince(): string | null {
  return prepared<string | null>("SELECT paused_at FROM queue_state").pluck().get()!;
}

/**
 * Pauses or resumes the queue. Running jobs are suspended: in this process immediately, in other processes within 5 s.
 * The pause survives a restart.
 *
 * @param record records the activity, in the same transaction.
 * @returns whether the state has changed.
 */
export async function setQueuePaused(isPaused: boolean, record = () => {}): Promise<boolean> {
  const pausedAt = isPaused ? new Date().toISOString() : null;
  const update = prepared("UPDATE queue_state SET paused_at = ? WHERE (paused_at IS NULL) = ?");
  const changed = await transaction(() => {
    const { changes } = update.run(pausedAt, Number(isPaused));
    if (changes > 0) record();
    return changes > 0;
  });
  jobsChanged("work");
  return changed;
}
