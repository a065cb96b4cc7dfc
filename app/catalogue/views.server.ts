import { isbot } from "isbot";
import { attemptLimit } from "~/server/attempt-limit.server";
import { onLastMoment } from "~/server/node/shutdown.server";
import { sqliteHandle, tryWriteTransaction } from "~db/client.server";

/** Counts wait this long in memory, so that a busy second is one transaction. */
const FLUSH_AFTER_MS = 1_000;
/** Videos written at once; more wait for the next turn, so that no request waits long for them. */
const FLUSH_MOST = 250;

/** One a minute: a household, or the phones behind one address of a carrier; a loop that reloads gains little. */
const VIEWS_PER_ADDRESS = 60;
const WINDOW_SECONDS = 60 * 60;
/** Pairs of an address and a video that are remembered, about 10 MB. */
const MOST_REMEMBERED = 50_000;
const byAddress = attemptLimit(VIEWS_PER_ADDRESS, WINDOW_SECONDS, MOST_REMEMBERED);

// On globalThis, because the development server evaluates this module anew after an edit.
const holder = globalThis as { afterdarkViews?: { pending: Map<string, number> } };
if (!holder.afterdarkViews) {
  holder.afterdarkViews = { pending: new Map() };
  onLastMoment(flushViews);
}
const { pending } = holder.afterdarkViews;
let timer: NodeJS.Timeout | undefined;
/** Said once, not every second for as long as another process holds the file. */
let failureIsLogged = false;

/** Views of a video that are counted but not yet written. */
export function pendingViews(id: string): number {
  return pending.get(id) ?? 0;
}

/**
 * Counts one view in memory; false when no published video has the id.
 *
 * @param address whose views of a video are counted 60 times an hour at most, and no further.
 */
export function countView(id: string, address?: string): boolean {
  const found = sqliteHandle()
    .prepare("SELECT 1 FROM videos WHERE id = ? AND status = 'published'")
    .get(id);
  if (!found) return false;
  if (address !== undefined && byAddress.consume(`${address} ${id}`) !== undefined) return true;
  pending.set(id, pendingViews(id) + 1);
  timer ??= setTimeout(flushSome, FLUSH_AFTER_MS).unref();
  return true;
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

/**
 * Writes all that is counted, in one transaction. What cannot be written now, because another
 * process holds the file, stays counted for the next try.
 */
export function flushViews(): void {
  clearTimeout(timer);
  timer = undefined;
  write([...pending]);
}

function flushSome(): void {
  timer = undefined;
  const written = write([...pending].slice(0, FLUSH_MOST));
  if (pending.size > 0) timer = setTimeout(flushSome, written ? 0 : FLUSH_AFTER_MS).unref();
}

function write(counts: [id: string, count: number][]): boolean {
  if (counts.length === 0) return true;
  const sqlite = sqliteHandle();
  const add = sqlite.prepare("UPDATE videos SET views = views + ? WHERE id = ?");
  try {
    const written = tryWriteTransaction(() => {
      for (const [id, count] of counts) add.run(count, id);
    });
    if (!written) throw new Error("Another process is writing to the database.");
  } catch (error) {
    if (!failureIsLogged) {
      console.error("Views could not be written and stay counted for the next try:", error);
    }
    failureIsLogged = true;
    return false;
  }
  failureIsLogged = false;
  // Only now: what the pages show in between neither falls nor counts twice.
  for (const [id] of counts) pending.delete(id);
  return true;
}

/** Forgets what is counted and not written, so that a test starts from nothing. */
export function forgetPendingViews(): void {
  clearTimeout(timer);
  timer = undefined;
  pending.clear();
}
