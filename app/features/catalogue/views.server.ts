import { isbot } from "isbot";
import { isPublic } from "~/features/visibility/visibility.server";
import { attemptLimit } from "~/platform/attempt-limit.server";
import { noteView } from "~/platform/node/page-cache.server";
import { onRequestsDone } from "~/platform/node/shutdown.server";
import { sqliteHandle, tryWriteTransaction } from "~db/client.server";
import { lockHolder } from "~db/lock-holder.server";
import { processState } from "~db/runtime.server";
import { DatabaseBusyError } from "~db/write-lock";

/** One a minute: a household, or the phones behind one address of a carrier; a loop that reloads gains little. */
const VIEWS_PER_ADDRESS = 60;
const WINDOW_SECONDS = 60 * 60;
/** Pairs of an address and a video that are remembered, about 10 MB. */
const MAX_REMEMBERED = 50_000;
const byAddress = attemptLimit(
  "views by address",
  VIEWS_PER_ADDRESS,
  WINDOW_SECONDS,
  MAX_REMEMBERED,
);

const batch = batchedCounts<number>("Views", {
  add: (counted, more) => (counted ?? 0) + more,
  writer() {
    const add = sqliteHandle().prepare("UPDATE videos SET views = views + ? WHERE id = ?");
    return (id, count) => void add.run(count, id);
  },
});

/** Views of a video that are counted but not yet written. */
export function pendingViews(id: string): number {
  return batch.pending(id) ?? 0;
}

/**
 * Counts one view in memory; false when no public video has the id.
 *
 * @param address whose views of a video are counted 60 times an hour at most, and no further.
 */
export function countView(id: string, address?: string): boolean {
  if (!isPublic(id)) return false;
  if (address === undefined || mayCount(address, id)) {
    batch.add(id, 1);
    noteView(id);
  }
  return true;
}

/** Whether one more of what is counted may come from an address; 60 an hour of each. */
export function mayCount(address: string, what: string): boolean {
  return byAddress.consume(`${address} ${what}`) === undefined;
}

/**
 * Whether a request stands for someone who looks at the page: no prefetch or prerender, no known
 * crawler, and not from a page of another site. The user agent is checked and not stored.
 */
export function countsAsView(request: Request): boolean {
  const { headers } = request;
  const purpose = ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"]
    .map((name) => headers.get(name) ?? "")
    .join(" ");
  if (/prefetch|prerender|preview/i.test(purpose)) return false;
  if (headers.get("Sec-Fetch-Site") === "cross-site") return false;
  // A browser without a window is no crawler, but isbot takes its name for one.
  return !isbot(headers.get("User-Agent")?.replace("HeadlessChrome", "Chrome"));
}

/** Writes all that is counted, in one transaction. */
export const flushViews = batch.flush;

/** Counts wait this long in memory, so that a busy second is one transaction. */
const FLUSH_AFTER_MS = 1_000;
/** Videos written at once; more wait for the next turn, so that no request waits long for them. */
const MAX_FLUSH = 250;

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
) {
  const batchState = processState(
    `counted ${name}`,
    () => {
      onRequestsDone(flush);
      return {
        pending: new Map<string, Count>(),
        timer: undefined as NodeJS.Timeout | undefined,
        // Said once, not every second for as long as another process holds the file.
        failureIsLogged: false,
      };
    },
    ({ timer }) => clearTimeout(timer),
  );

  /**
   * Writes all that is counted, in one transaction. What cannot be written now, because another
   * process holds the file, stays counted for the next try.
   */
  function flush(): void {
    const batch = batchState();
    clearTimeout(batch.timer);
    batch.timer = undefined;
    write([...batch.pending]);
  }

  function flushSome(): void {
    const batch = batchState();
    const wait = write([...batch.pending].slice(0, MAX_FLUSH)) ? 0 : FLUSH_AFTER_MS;
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
    add(id: string, count: Count): void {
      const batch = batchState();
      batch.pending.set(id, add(batch.pending.get(id), count));
      batch.timer ??= setTimeout(flushSome, FLUSH_AFTER_MS).unref();
    },
    /** What is counted of a video and not yet written. */
    pending: (id: string) => batchState().pending.get(id),
    flush,
  };
}
