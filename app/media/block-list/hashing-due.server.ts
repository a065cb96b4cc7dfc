let listener: (() => void) | undefined;

/** Tells the work on blocked films that there is some, once the transaction is over. */
export function hashingIsDue(): void {
  setImmediate(() => listener?.());
}

export function onHashingDue(work: () => void): void {
  listener = work;
}
