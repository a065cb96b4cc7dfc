/** Thrown if a backup can't be restored. The message is for the operator. */
export class RestoreError extends Error {}
