import { isbot } from "isbot";
import { isPublic } from "~/features/visibility/visibility.server";
import { attemptLimit } from "~/platform/attempt-limit.server";
import { noteView } from "~/platform/node/page-cache.server";
import { sqliteHandle } from "~db/client.server";
import { batchedCounts } from "./batched-counts.server";

/** One a minute: a household, or the phones behind one address of a carrier; a loop that reloads gains little. */
const VIEWS_PER_ADDRESS = 60;
const WINDOW_SECONDS = 60 * 60;
/** Pairs of an address and a video that are remembered, about 10 MB. */
const MOST_REMEMBERED = 50_000;
const byAddress = attemptLimit(
  "views by address",
  VIEWS_PER_ADDRESS,
  WINDOW_SECONDS,
  MOST_REMEMBERED,
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
