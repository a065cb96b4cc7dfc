/** Of long work on the thread that serves requests, so much is done before others have their turn. */
const TURN_MS = 8;

/**
 * Makes what long work awaits between its steps. Awaiting a query does not let timers and requests
 * run, since SQLite answers at once: this does, whenever the work has gone on for 8 ms.
 */
export function eventLoopTurns(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  };
}

/** A list in parts of at most `length`. */
export function* partsOf<T>(list: readonly T[], length: number): Generator<T[]> {
  for (let from = 0; from < list.length; from += length) yield list.slice(from, from + length);
}
