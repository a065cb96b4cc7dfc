import { isbot } from "isbot";
import { isPublic } from "~/features/visibility/visibility.server";
import { attemptLimit } from "~/platform/attempt-limit.server";
import { noteView } from "~/platform/node/page-cache.server";
import { onRequestsDone } from "~/platform/node/shutdown.server";
import { sqliteHandle, tryWriteTransaction } from "~db/client.server";
import { lockHolder } from "~db/lock-holder.server";
import { processState } from "~db/runtime.server";
import { DatabaseBusyError } from "~db/write-lock";

/** One view per minute: enough for several people behind one IP address, but too few to be worth abusing. */
const VIEWS_PER_ADDRESS = 60;
const WINDOW_SECONDS = 60 * 60;
/** The maximum number of IP address and video pairs kept in memory, which take up about 10 MB. */
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

/** Returns the number of a video's views that have been counted but not yet written. */
export function pendingViews(id: string): number {
  return batch.pending(id) ?? 0;
}

/**
 * Counts one view in memory. Returns false if no public video has the id.
 *
 * @param address the viewer's IP address. At most 60 views per hour are counted for each video and IP address, and any
 *   further views are ignored.
 */
export function countView(id: string, address?: string): boolean {
  if (!isPublic(id)) return false;
  if (address === undefined || mayCount(address, id)) {
    batch.add(id, 1);
    noteView(id);
  }
  return true;
}

/** Returns whether another event of this kind may be counted for an IP address. At most 60 are counted per hour. */
export function mayCount(address: string, what: string): boolean {
  return byAddress.consume(`${address} ${what}`) === undefined;
}

/**
 * Returns whether a request comes from someone viewing the page, rather than from a prefetch or prerender, a known
 * crawler or another site. The user agent is checked but not stored.
 */
export function countsAsView(request: Request): boolean {
  const { headers } = request;
  const purpose = ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"]
    .map((name) => headers.get(name) ?? "")
    .join(" ");
  if (/prefetch|prerender|preview/i.test(purpose)) return false;
  if (headers.get("Sec-Fetch-Site") === "cross-site") return false;
  // A headless browser isn't necessarily a crawler, but isbot always classifies it as one.
  return !isbot(headers.get("User-Agent")?.replace("HeadlessChrome", "Chrome"));
}

/** Writes all pending counts in one transaction. */
export const flushViews = batch.flush;

/** How long counts are collected in memory, so that even a busy second requires only one transaction. */
const FLUSH_AFTER_MS = 1_000;
/**
 * The maximum number of videos per transaction. The rest is written in the next one, so that requests don't have to
 * wait.
 */
const MAX_FLUSH = 250;

/**
 * Collects counts for videos in memory and writes them in batches.
 *
 * @param name the name of what is counted, such as `Views`.
 * @param options.add returns the sum of two counts; the first is undefined for a video without a count.
 * @param options.writer returns a function that writes the count for one video within the transaction.
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
        // Logged only once, instead of every second while another process is locking the database.
        failureIsLogged: false,
      };
    },
    ({ timer }) => clearTimeout(timer),
  );

  /**
   * Writes all pending counts in one transaction. If another process is locking the database, they stay pending until
   * the next attempt.
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
        console.error(`${name} could not be written and are kept for the next attempt:`, error);
      }
      batch.failureIsLogged = true;
      return false;
    }
    batch.failureIsLogged = false;
    // Counts are removed only after the write, so that the numbers on pages don't drop and nothing is counted twice.
    for (const [id] of counts) batch.pending.delete(id);
    return true;
  }

  return {
    add(id: string, count: Count): void {
      const batch = batchState();
      batch.pending.set(id, add(batch.pending.get(id), count));
      batch.timer ??= setTimeout(flushSome, FLUSH_AFTER_MS).unref();
    },
    /** Returns a video's pending count. */
    pending: (id: string) => batchState().pending.get(id),
    flush,
  };
}
