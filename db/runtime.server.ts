import { isBusy } from "./write-lock";

/**
 * The runtime: everything that this process keeps in memory between requests (the database connection, caches, queues,
 * threads), and its periodic work. `app/boot.server.ts` starts it, and `stopRuntime` stops it. Each test starts with an
 * empty runtime.
 */

interface Piece {
  value: unknown;
  stop(): unknown;
}

// The pieces are stored on globalThis, because they must survive when the development server reevaluates modules after
// an edit. A Map keeps the order in which they were created.
const slot = globalThis as { afterdarkRuntime?: Map<string | symbol, Piece> };
slot.afterdarkRuntime ??= new Map();
const pieces = slot.afterdarkRuntime;

/**
 * Declares a piece of the runtime. It is created on first use, and again on the next use after `stopRuntime`.
 *
 * @param name unique within the process.
 * @param stop releases the piece's resources (a timer, a thread, a file). A piece may use pieces that were created
 *   before it, because they are stopped after it.
 * @returns a function that returns the piece.
 */
export function processState<Value>(
  name: string,
  create: () => Value,
  stop?: (value: Value) => unknown,
): () => Value {
  return () => {
    const piece = pieces.get(name);
    if (piece) return piece.value as Value;
    const value = create();
    pieces.set(name, { value, stop: () => stop?.(value) });
    return value;
  };
}

/** A task that runs at an interval. */
export interface PeriodicWork {
  /** Starts a round now, or right after the one in progress. */
  run(): void;
  /** Stops the task. Resolves when the round in progress has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` every `ms` milliseconds until the runtime stops. A round is skipped while the previous one is in
 * progress. The timer doesn't keep the process alive.
 *
 * An error doesn't stop later rounds. All errors are logged, except those caused by a busy database.
 *
 * @param name completes "Could not …" in the log.
 * @param options.firstMs the delay of the first round: 0 runs it now, the default is `ms`.
 */
export function every(
  ms: number,
  name: string,
  work: () => unknown,
  { firstMs = ms }: { firstMs?: number } = {},
): PeriodicWork {
  const key = Symbol(name);
  let isWorking = false;
  let again = false;
  let isStopped = false;
  /** Resolves when the round in progress has ended; undefined if that round is synchronous. */
  let round: Promise<void> | undefined;

  const report = (error: unknown) => {
    if (!isBusy(error)) console.error(`Could not ${name}:`, error);
  };
  const end = () => {
    isWorking = false;
    round = undefined;
    if (again) begin();
  };
  const begin = () => {
    if (isWorking || isStopped) return;
    isWorking = true;
    again = false;
    try {
      const result = work();
      if (result instanceof Promise) round = result.catch(report).then(end);
    } catch (error) {
      report(error);
    }
    if (!round) end();
  };
  const run = () => {
    again = true;
    begin();
  };
  const stop = async () => {
    isStopped = true;
    clearTimeout(first);
    clearInterval(timer);
    pieces.delete(key);
    await round;
  };

  const timer = setInterval(begin, ms).unref();
  const first = 0 < firstMs && firstMs < ms ? setTimeout(begin, firstMs).unref() : undefined;
  pieces.set(key, { value: undefined, stop });
  if (firstMs === 0) begin();
  return { run, stop };
}

/**
 * Stops the pieces of the runtime one at a time, in the reverse order of their creation. A piece that is used
 * afterwards is created again.
 *
 * @param options.except the names of pieces that keep running.
 */
export async function stopRuntime({ except = [] }: { except?: readonly string[] } = {}) {
  for (;;) {
    const last = [...pieces].filter(([key]) => !except.includes(key as string)).at(-1);
    if (!last) return;
    const [key, piece] = last;
    try {
      await piece.stop();
    } catch (error) {
      console.error(`Could not stop ${String(key)}:`, error);
    }
    pieces.delete(key);
  }
}
