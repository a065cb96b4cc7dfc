/**
 * Deleting, restoring and deleting for good take their turns: a restored video must not lose its files
 * to somebody who empties the trash at that moment. One process has the data (`db/data-lock.server.ts`).
 */
const holder = globalThis as { afterdarkTrash?: Promise<unknown> };

/** Does the work once what came before it is over, whether that went well or not. */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const before = holder.afterdarkTrash ?? Promise.resolve();
  const result = before.then(work, work);
  holder.afterdarkTrash = result.catch(() => undefined);
  return result;
}
