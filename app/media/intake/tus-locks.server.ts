import type { Lock, Locker } from "@tus/server";

interface Held {
  /** Asks the holder to stop, because its sender has come back on another connection. */
  release: () => void;
  released: Promise<void>;
}

const WAIT_MS = 15_000;

/**
 * One request at a time for each upload. A sender that lost its connection is back long before the
 * server learns that the old one is dead: whoever comes later ends the earlier one.
 *
 * @param stop ends the reading of the request that is being handled.
 */
export function uploadLocks(stop: () => () => void): Locker {
  const held = new Map<string, Held>();
  return {
    newLock(id): Lock {
      let finish: (() => void) | undefined;
      return {
        async lock() {
          const until = Date.now() + WAIT_MS;
          for (let other = held.get(id); other; other = held.get(id)) {
            other.release();
            if (!(await endsWithin(other.released, until - Date.now()))) {
              throw { status_code: 423, body: "This upload is busy. Try again.\n" };
            }
          }
          const released = new Promise<void>((resolve) => {
            finish = resolve;
          });
          held.set(id, { release: stop(), released });
        },
        async unlock() {
          held.delete(id);
          finish?.();
        },
      };
    },
  };
}

async function endsWithin(promise: Promise<void>, withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, withinMs));
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
