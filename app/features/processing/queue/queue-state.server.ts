import { prepared, transaction } from "~db/client.server";
import { processState } from "~db/runtime.server";

/** `work`: there may be something to do. `progress`: only what is shown has changed. */
type Change = "work" | "progress";
type Listener = (change: Change) => void;

const listeners = processState("job listeners", () => new Set<Listener>());

/** Calls `listener` whenever this process has changed a job; returns how to stop that. */
export function onJobsChanged(listener: Listener): () => void {
  const all = listeners();
  all.add(listener);
  return () => all.delete(listener);
}

/** Notifies that jobs were changed. */
export function jobsChanged(change: Change): void {
  for (const listener of listeners()) listener(change);
}

/** Since when nothing is made, ISO 8601 UTC; null while the queue works. */
export function pausedSince(): string | null {
  return prepared<string | null>("SELECT paused_at FROM queue_state").pluck().get()!;
}

/**
 * Pauses the queue, or lets it go on. What runs is held where it is, by this process at once and by
 * others within 5 s; a restart keeps the pause.
 *
 * @param record records the change, in its transaction.
 * @returns whether that was a change.
 */
export async function pauseQueue(isPaused: boolean, record = () => {}): Promise<boolean> {
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
