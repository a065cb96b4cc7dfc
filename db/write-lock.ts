/**
 * SQLite lets one connection write at a time. Its own busy timeout waits on the calling thread, which
 * here serves every page, so the site's connection has none: whatever has to wait for another
 * process awaits its turn here, and all else goes on meanwhile. Reading needs no lock (WAL).
 */

/** A change is refused when another process has held the lock for so long. */
const LOCK_WAIT_MS = 2_000;
const RETRY_EVERY_MS = 20;

/**
 * Another process held the lock for longer than a request may wait; worth another try. The message names
 * the process: it is for the log and for programs of the terminal, never for visitors.
 */
export class DatabaseBusyError extends Error {
  constructor(cause: unknown, holder = "Another process") {
    super(`${holder} is writing to the database. Try again when it has finished.`, { cause });
  }
}

/** Whether a statement failed only because another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  if (error instanceof DatabaseBusyError) return true;
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && /^SQLITE_(BUSY|LOCKED)/.test(code);
}

/**
 * Makes `attempt` again and again while another process holds the lock.
 *
 * @param holder names who holds the lock.
 * @throws {DatabaseBusyError} after `waitMs`; whatever else the attempt throws, at once.
 */
export async function retryWhileBusy<T>(
  attempt: () => T | Promise<T>,
  waitMs = LOCK_WAIT_MS,
  holder?: () => string,
): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() >= deadline) {
        throw error instanceof DatabaseBusyError ? error : new DatabaseBusyError(error, holder?.());
      }
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_EVERY_MS));
  }
}
