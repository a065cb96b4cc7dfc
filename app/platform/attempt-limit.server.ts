import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { every, processState } from "~db/runtime.server";

export interface AttemptLimit {
  /**
   * Counts an attempt before it is made, so that attempts side by side cannot pass together.
   *
   * @returns undefined when it may be made, else the whole seconds after which one may again.
   */
  consume(key: string, now?: number): number | undefined;
  /** Uncounts an attempt that turned out well. */
  refund(key: string): void;
  /** Returns how many attempts are counted. */
  attempts(key: string, now?: number): number;
  /** Whether the next attempt would be refused. */
  isUsedUp(key: string, now?: number): boolean;
}

/** Bounds what a flood of addresses or made-up accounts can occupy: about 1 MB a limit. */
const MAX_KEYS = 10_000;

/**
 * A bound of a cache by its entries. With `max`, lru-cache (11.5, its constructor) fills arrays for all of
 * them at once: a dozen limits took 13 MB of a site that nobody had signed in to.
 */
export const atMostEntries = (most: number) => ({ maxSize: most, sizeCalculation: () => 1 });

/** Keys whose window is over are removed so often, and not only when another wants their place. */
const PURGE_EVERY_MS = 60_000;

/**
 * At most `most` attempts a key in a window that begins with the first of them. In memory only, as a digest
 * and for the window: an address is personal.
 *
 * @param name what is counted, unique in the whole process.
 */
export function attemptLimit(
  name: string,
  most: number,
  windowSeconds: number,
  mostKeys = MAX_KEYS,
): AttemptLimit {
  const counts = processState(`limit of ${name}`, () => {
    const cache = new LRUCache<string, { attempts: number; endsAt: number }>({
      ...atMostEntries(mostKeys),
      ttl: windowSeconds * 1000,
    });
    every(PURGE_EVERY_MS, `forget ${name}`, () => cache.purgeStale());
    return cache;
  });
  const attempts = (key: string, now = Date.now()) => {
    const known = counts().get(digest(key));
    return known !== undefined && known.endsAt > now ? known.attempts : 0;
  };
  return {
    consume(key, now = Date.now()) {
      const known = counts().get(digest(key));
      const current =
        known && known.endsAt > now ? known : { attempts: 0, endsAt: now + windowSeconds * 1000 };
      if (current.attempts >= most) return Math.max(1, Math.ceil((current.endsAt - now) / 1000));
      current.attempts++;
      counts().set(digest(key), current);
      return undefined;
    },
    refund(key) {
      const known = counts().get(digest(key));
      if (known && known.attempts > 0) known.attempts--;
    },
    attempts,
    isUsedUp: (key, now) => attempts(key, now) >= most,
  };
}

/** Returns a key of fixed length, whatever somebody types as an e-mail address. */
export function digest(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, 22);
}
