import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { every, processState } from "~db/runtime.server";

export interface AttemptLimit {
  /**
   * Counts an attempt before it is made, so that parallel attempts can't exceed the limit.
   *
   * @returns undefined if the attempt is allowed, otherwise the number of seconds until the next one is.
   */
  consume(key: string, now?: number): number | undefined;
  /** Removes a successful attempt from the count. */
  refund(key: string): void;
  /** Returns the number of counted attempts. */
  attempts(key: string, now?: number): number;
  /** Whether the limit has been reached, so that the next attempt will be refused. */
  isExhausted(key: string, now?: number): boolean;
}

/**
 * The maximum number of keys. It caps the memory that each limit uses at about 1 MB, even if there are many addresses
 * or made-up accounts.
 */
const MAX_KEYS = 10_000;

/**
 * Returns cache options that limit the number of entries. They don't use the `max` option, because it makes lru-cache
 * 11.5 allocate arrays of that length in its constructor, so that a dozen limits took 13 MB on an idle site.
 */
export const maxEntries = (max: number) => ({ maxSize: max, sizeCalculation: () => 1 });

/** How often keys from past windows are removed, so that they don't stay in memory until their space is needed. */
const PURGE_EVERY_MS = 60_000;

/**
 * Creates a limit of `max` attempts per key within a window that starts with the first attempt. Keys are kept only in
 * memory, as digests, and only for the window, because an address is personal data.
 *
 * @param name a name for what is counted. It has to be unique within the process.
 */
export function attemptLimit(
  name: string,
  max: number,
  windowSeconds: number,
  maxKeys = MAX_KEYS,
): AttemptLimit {
  const counts = processState(`limit of ${name}`, () => {
    const cache = new LRUCache<string, { attempts: number; endsAt: number }>({
      ...maxEntries(maxKeys),
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
      if (current.attempts >= max) return Math.max(1, Math.ceil((current.endsAt - now) / 1000));
      current.attempts++;
      counts().set(digest(key), current);
      return undefined;
    },
    refund(key) {
      const known = counts().get(digest(key));
      if (known && known.attempts > 0) known.attempts--;
    },
    attempts,
    isExhausted: (key, now) => attempts(key, now) >= max,
  };
}

/** Returns a fixed-length digest, because the email address that someone entered may have any length. */
export function digest(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, 22);
}
