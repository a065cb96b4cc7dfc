import type { IncomingMessage } from "node:http";
import { performance } from "node:perf_hooks";
import { LRUCache } from "lru-cache";
import { every, processState } from "~db/runtime.server";
import { digest, maxEntries } from "../attempt-limit.server";
import { limitedNetworkOf } from "../client-address.server";
import { refuseRequest } from "./connection-limits.server";
import { type Middleware, whenClosed } from "./middleware.server";
import { routeNameOf } from "./request-context.server";

/**
 * Limits how long requests from one network can keep the serving thread busy. The thread's time is limited instead of
 * the number of requests, because just 30 connections to one slow page delayed all other pages by half a second. Cached
 * pages and files don't count.
 */

/** The rendering time, in milliseconds per second, that a network may use. */
const BUDGET_MS = 300;
/**
 * The maximum budget that a network can accumulate while it is idle. Rendering the pages for 50 tabs takes about a
 * second.
 */
const MAX_SAVED_MS = 3_000;
/** The maximum debt. It limits how long a network has to wait after its requests have exceeded its budget. */
const MAX_DEBT_MS = 3_000;
/**
 * The time to reserve for each request in progress. Otherwise, 100 requests could start even if only one millisecond
 * was left.
 */
const RESERVED_MS = 20;
/** The maximum number of networks, which limits memory use to about 2 MB even if there are many addresses. */
const MAX_NETWORKS = 10_000;
/** After this time, a network has its full budget again, and its entry is removed. */
const REFILL_MS = ((MAX_SAVED_MS + MAX_DEBT_MS) / BUDGET_MS) * 1_000;

/** The routes without a limit: files, streams, monitoring, and calls that require a worker's token. */
const EXEMPT_ROUTES: readonly string[] = [
  ...["/assets/*", "/media/*", "/preview/:token/media/*", "/events"],
  ...["/healthz", "/metrics", "/api/worker/*"],
];
const TOO_MANY =
  "Too many pages were requested from your network. Wait a few seconds, then try again.";

/**
 * The key for requests without a limit. They get a share of the time too, so that networks with a limit aren't charged
 * for it.
 */
const EXEMPT = "";

interface Active {
  requests: number;
  /** The value of `shareMs` when the network was last charged. */
  paidMs: number;
}

/**
 * The rendering time that each network has left. The busy time of the event loop is divided equally among the networks
 * with requests in progress. A client therefore can't reduce its share by sending more requests, and a client on a slow
 * connection isn't charged while the loop is idle.
 */
export class RenderingBudgets {
  /** The remaining time of each network, keyed by the network's digest and kept only in memory. */
  private readonly left = new LRUCache<string, { ms: number; at: number }>({
    ...maxEntries(MAX_NETWORKS),
    ttl: REFILL_MS,
  });
  private readonly active = new Map<string, Active>();
  /** The total time that a network would have been charged if it had always been active. */
  private shareMs = 0;
  private lastBusyMs: number;

  /**
   * @param busyMs returns how long the event loop has been busy.
   * @param now returns the time in milliseconds.
   */
  constructor(
    private readonly busyMs = () => performance.eventLoopUtilization().active,
    private readonly now = Date.now,
  ) {
    this.lastBusyMs = busyMs();
  }

  /** Starts a request. Returns a function that ends it, or the number of seconds to wait if no time is left. */
  begin(network: string = EXEMPT): (() => void) | number {
    const key = network && digest(network);
    this.pay(key);
    const active = this.active.get(key) ?? { requests: 0, paidMs: this.shareMs };
    if (key !== EXEMPT) {
      const missingMs = active.requests * RESERVED_MS - this.leftOf(key);
      if (missingMs >= 0) return Math.max(1, Math.ceil(missingMs / BUDGET_MS));
    }
    active.requests += 1;
    this.active.set(key, active);
    return () => {
      this.pay(key);
      active.requests -= 1;
      if (active.requests === 0) this.active.delete(key);
    };
  }

  /** Removes networks with a full budget. */
  purge(): void {
    this.left.purgeStale();
  }

  /** Charges a network for its share of the time since it was last charged. */
  private pay(key: string): void {
    const busyMs = this.busyMs();
    if (this.active.size > 0) this.shareMs += (busyMs - this.lastBusyMs) / this.active.size;
    this.lastBusyMs = busyMs;
    const active = this.active.get(key);
    if (!active || key === EXEMPT) return;
    const ms = Math.max(-MAX_DEBT_MS, this.leftOf(key) - (this.shareMs - active.paidMs));
    active.paidMs = this.shareMs;
    this.left.set(key, { ms, at: this.now() });
  }

  private leftOf(key: string): number {
    const known = this.left.get(key);
    if (!known) return MAX_SAVED_MS;
    return Math.min(MAX_SAVED_MS, known.ms + ((this.now() - known.at) / 1_000) * BUDGET_MS);
  }
}

const rendering = processState("rendering time", () => {
  const budgets = new RenderingBudgets();
  every(REFILL_MS, "forget rendering time", () => budgets.purge());
  return budgets;
});

/**
 * Returns the middleware that responds with 429 if a request's network has no rendering time left.
 *
 * @param isSignedIn returns whether a request comes from a signed-in user, who is exempt from the limit.
 */
export function limitRendering(isSignedIn: (request: IncomingMessage) => boolean): Middleware {
  return (request, response) => {
    if (EXEMPT_ROUTES.includes(routeNameOf(request.url))) return false;
    const begun = rendering().begin(isSignedIn(request) ? undefined : limitedNetworkOf(request));
    if (typeof begun === "number") return refuseRequest(response, 429, TOO_MANY, begun);
    let isOver = false;
    const end = () => {
      if (!isOver) begun();
      isOver = true;
    };
    // A page is rendered completely before its first byte is sent, so clients aren't charged for reading slowly.
    const writeHead = response.writeHead as (...parts: unknown[]) => typeof response;
    response.writeHead = (...parts: unknown[]) => {
      end();
      return writeHead.apply(response, parts);
    };
    whenClosed(request, response, end);
    return false;
  };
}
