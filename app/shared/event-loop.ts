/** Of long work on the thread that serves requests, so much is done before others have their turn. */
const TURN_MS = 8;

/**
 * Makes what long work awaits between its steps. Awaiting a query does not let timers and requests
 * run, since SQLite answers at once: this does, whenever the work has gone on for 8 ms.
 */
export function createYielder(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  };
}

/**
 * Makes what does one piece of work after the other: each begins once those before it are over,
 * whether they went well or not.
 */
export function createMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** A list in parts of at most `length`. */
export function* partsOf<T>(list: readonly T[], length: number): Generator<T[]> {
  for (let from = 0; from < list.length; from += length) yield list.slice(from, from + length);
}
