/** How long a task may block the server's thread before it yields. */
const MAX_SLICE_MS = 8;

/**
 * Returns a function for long-running work to await between its steps. Awaiting a query doesn't let timers and requests
 * run, because SQLite returns synchronously. Awaiting this function does, if at least 8 ms have passed since they last
 * ran.
 */
export function createYielder(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MAX_SLICE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  };
}

/**
 * Returns a function that runs one task at a time. Each task starts once all earlier tasks have ended, whether they
 * succeeded or failed.
 */
export function createMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** Yields a list in chunks of at most `length` items. */
export function* partsOf<T>(list: readonly T[], length: number): Generator<T[]> {
  for (let from = 0; from < list.length; from += length) yield list.slice(from, from + length);
}
