import { takingTurns } from "~/shared/event-loop";
import { processState } from "~db/runtime.server";

/**
 * Deleting, restoring and deleting for good take their turns: a restored video must not lose its files
 * to somebody who empties the trash at that moment. One process has the data (`db/data-lock.server.ts`).
 */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  return turns()(work);
}

const turns = processState("trash turns", takingTurns);
