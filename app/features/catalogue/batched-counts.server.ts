import { onLastMoment } from "~/platform/node/shutdown.server";
import { sqliteHandle, tryWriteTransaction } from "~db/client.server";
import { lockHolder } from "~db/lock-holder.server";
import { processState } from "~db/runtime.server";
import { DatabaseBusyError } from "~db/write-lock";

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
}

interface Batch<Count> {
  pending: Map<string, Count>;
  timer?: NodeJS.Timeout | undefined;
  /** Said once, not every second for as long as another process holds the file. */
  failureIsLogged: boolean;
}

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
  const batchState = processState<Batch<Count>>(
    `counted ${name}`,
    () => {
      onLastMoment(flush);
      return { pending: new Map(), failureIsLogged: false };
    },
    ({ timer }) => clearTimeout(timer),
  );

  function flush(): void {
    const batch = batchState();
    clearTimeout(batch.timer);
    batch.timer = undefined;
    write([...batch.pending]);
  }

  function flushSome(): void {
    const batch = batchState();
    const written = write([...batch.pending].slice(0, FLUSH_MOST));
    const wait = written ? 0 : FLUSH_AFTER_MS;
    batch.timer = batch.pending.size > 0 ? setTimeout(flushSome, wait).unref() : undefined;
  }

  function write(counts: [id: string, count: Count][]): boolean {
    if (counts.length === 0) return true;
    const batch = batchState();
    try {
      const writeCount = writer();
      const written = tryWriteTransaction(() => {
        for (const [id, count] of counts) writeCount(id, count);
      });
      if (!written) throw new DatabaseBusyError(undefined, lockHolder(sqliteHandle().name));
    } catch (error) {
      if (!batch.failureIsLogged) {
        console.error(`${name} could not be written and stay counted for the next try:`, error);
      }
      batch.failureIsLogged = true;
      return false;
    }
    batch.failureIsLogged = false;
    // Only now: what the pages show in between neither falls nor counts twice.
    for (const [id] of counts) batch.pending.delete(id);
    return true;
  }

  return {
    add(id, count) {
      const batch = batchState();
      batch.pending.set(id, add(batch.pending.get(id), count));
      batch.timer ??= setTimeout(flushSome, FLUSH_AFTER_MS).unref();
    },
    pending: (id) => batchState().pending.get(id),
    flush,
  };
}
