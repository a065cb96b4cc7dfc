import { processState } from "~db/runtime.server";

const listener = processState("hashing of blocked films", () => ({
  work: undefined as (() => void) | undefined,
}));

/** Tells the work on blocked films that there is some, once the transaction is over. */
export function hashingIsDue(): void {
  setImmediate(() => listener().work?.());
}

export function onHashingDue(work: () => void): void {
  listener().work = work;
}
