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
