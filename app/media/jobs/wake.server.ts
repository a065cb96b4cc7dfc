// On globalThis, because the development server evaluates this module anew after an edit.
const holder = globalThis as { afterdarkJobsWaiting?: Set<() => void> };
holder.afterdarkJobsWaiting ??= new Set();
const waiting = holder.afterdarkJobsWaiting;

/** Calls `listener` whenever a job of this process was added or changed; returns how to stop that. */
export function onJobsChanged(listener: () => void): () => void {
  waiting.add(listener);
  return () => waiting.delete(listener);
}

/** Tells who waits for jobs that there are some, or that one has changed. */
export function wake(): void {
  for (const listener of waiting) listener();
}
