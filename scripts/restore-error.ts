/** A backup that cannot be restored now; its message is the sentence to print. */
export class RestoreError extends Error {}
