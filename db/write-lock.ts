/**
 * SQLite allows one writing connection at a time. SQLite's busy timeout blocks the calling thread, which serves all
 * pages, so the site's connection doesn't use it. Instead, if the database is locked, this module retries the write
 * without blocking the thread. Reads don't need a lock in WAL mode.
 */

/** If another process has held the lock for this long, the change fails. */
const LOCK_WAIT_MS = 2_000;
const RETRY_EVERY_MS = 20;

/**
 * Thrown if another process has held the lock for longer than a request may wait. Another attempt may succeed. The
 * message contains the name of that process, so it is for the log and for commands, never for visitors.
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
 * Retries `attempt` while another process holds the lock.
 *
 * @param holder returns the name of the process that is holding the lock.
 * @throws {DatabaseBusyError} after `waitMs`; any other error that `attempt` throws, immediately.
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
