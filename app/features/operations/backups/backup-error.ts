/** Why there is no backup; its message is the sentence to show. */
export class BackupError extends Error {}

/** Another process is making one. */
export class BackupRunningError extends BackupError {
  constructor() {
    super("Another backup is being made.");
  }
}
