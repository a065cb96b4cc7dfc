import { onLastMoment } from "~/server/node/shutdown.server";
import { tryWriteTransaction } from "~db/client.server";

/** Counts wait this long in memory, so that a busy second is one transaction. */
const FLUSH_AFTER_MS = 1_000;
/** Videos written at once; more wait for the next turn, so that no request waits long for them. */
const FLUSH_MOST = 250;

export interface BatchedCounts<Count> {
  add(id: string, count: Count): void;
  /** What is counted of a video and not yet written. */
  pending(id: string): Count | undefined;
  /**
   * Writes all that is counted, in one transaction. What cannot be written now, because another
   * process holds the file, stays counted for the next try.
   */
  flush(): void;
  /** Forgets what is counted and not written, so that a test starts from nothing. */
  forget(): void;
}

// On globalThis, because the development server evaluates this module anew after an edit.
const holder = globalThis as { afterdarkCounts?: Map<string, Map<string, unknown>> };
holder.afterdarkCounts ??= new Map();

/**
 * Counts of videos that are collected in memory and written together.
 *
 * @param name of what is counted, such as `Views`.
 * @param options.add the sum of two counts; the first is undefined for a video that had none.
 * @param options.writer makes what writes the count of one video; it is called inside the transaction.
 */
export function batchedCounts<Count>(
  name: string,
  {
    add,
    writer,
  }: {
    add: (counted: Count | undefined, more: Count) => Count;
    writer: () => (id: string, count: Count) => void;
  },
): BatchedCounts<Count> {
  const known = holder.afterdarkCounts?.get(name) as Map<string, Count> | undefined;
  const pending = known ?? new Map<string, Count>();
  if (!known) {
    holder.afterdarkCounts?.set(name, pending);
    onLastMoment(flush);
  }
  let timer: NodeJS.Timeout | undefined;
  /** Said once, not every second for as long as another process holds the file. */
  let failureIsLogged = false;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    write([...pending]);
  }

  function flushSome(): void {
    timer = undefined;
    const written = write([...pending].slice(0, FLUSH_MOST));
    if (pending.size > 0) timer = setTimeout(flushSome, written ? 0 : FLUSH_AFTER_MS).unref();
  }

  function write(counts: [id: string, count: Count][]): boolean {
    if (counts.length === 0) return true;
    try {
      const writeCount = writer();
      const written = tryWriteTransaction(() => {
        for (const [id, count] of counts) writeCount(id, count);
      });
      if (!written) throw new Error("Another process is writing to the database.");
    } catch (error) {
      if (!failureIsLogged) {
        console.error(`${name} could not be written and stay counted for the next try:`, error);
      }
      failureIsLogged = true;
      return false;
    }
    failureIsLogged = false;
    // Only now: what the pages show in between neither falls nor counts twice.
    for (const [id] of counts) pending.delete(id);
    return true;
  }

  return {
    add(id, count) {
      pending.set(id, add(pending.get(id), count));
      timer ??= setTimeout(flushSome, FLUSH_AFTER_MS).unref();
    },
    pending: (id) => pending.get(id),
    flush,
    forget() {
      clearTimeout(timer);
      timer = undefined;
      pending.clear();
    },
  };
}
