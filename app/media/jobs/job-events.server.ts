/** `work`: there may be something to do. `progress`: only what is shown has changed. */
type Change = "work" | "progress";
type Listener = (change: Change) => void;

// On globalThis, because the development server evaluates this module anew after an edit.
const holder = globalThis as { afterdarkJobListeners?: Set<Listener> };
holder.afterdarkJobListeners ??= new Set();
const listeners = holder.afterdarkJobListeners;

/** Calls `listener` whenever this process has changed a job; returns how to stop that. */
export function onJobsChanged(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Notifies that jobs were changed. */
export function jobsChanged(change: Change): void {
  for (const listener of listeners) listener(change);
}
