import { sqliteHandle } from "~db/client.server";

/**
 * A video that leaves the public lists stays in the search indexes behind a tombstone, which searches
 * pass over (migration 0140). Here the indexes are made to forget it, when nobody waits for it.
 */

const LOOK_EVERY_MS = 1_000;
/** So many are forgotten in some milliseconds, after which others have their turn. */
const FORGET_AT_ONCE = 32;
const PAUSE_MS = 50;
/** Of a disk that is full, say, once a minute is often enough to hear. */
const AFTER_FAILURE_MS = 60_000;

/** Makes the search indexes forget some videos; how many there were. */
export function forgetTombstones(most = FORGET_AT_ONCE): number {
  return sqliteHandle()
    .prepare(
      `DELETE FROM search_tombstones
       WHERE place IN (SELECT place FROM search_tombstones LIMIT ?)`,
    )
    .run(most).changes;
}

/** Keeps the search indexes free of what is not public any more, from now on. */
export function keepSearchClean(): void {
  const some = () => {
    let wait = LOOK_EVERY_MS;
    try {
      if (forgetTombstones() === FORGET_AT_ONCE) wait = PAUSE_MS;
    } catch (error) {
      // Searches pass over the tombstones until the next try.
      console.error("The search indexes could not be cleaned and will be later:", error);
      wait = AFTER_FAILURE_MS;
    }
    setTimeout(some, wait).unref();
  };
  some();
}
