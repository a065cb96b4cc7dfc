/** Thrown if an upload is rejected, with the response status and a message for the uploader. */
export class UploadError extends Error {
  constructor(
    readonly status: 400 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 503 | 507,
    message: string,
    /** The invalid form field, if any. */
    readonly field?: string,
    /** The number of seconds after which the client may retry. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
    this.name = "UploadError";
  }
}

/** The error codes for a full disk, an exceeded quota and an exceeded file size limit. */
const NO_ROOM = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Converts a write error to a 507 if the disk is full; returns any other error unchanged. */
export function toUploadError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code && NO_ROOM.has(code) ? diskFull() : error;
}

export function diskFull(): UploadError {
  return new UploadError(507, "There is not enough disk space for this file.");
}

/** Returned if ffprobe was killed before it finished, for example because the machine is short of memory. */
export function probeInterrupted(): UploadError {
  return new UploadError(503, "The video couldn’t be checked. Try again in a moment.");
}

export function truncated(): UploadError {
  return new UploadError(400, "The upload ended before it was complete.");
}

/** Returned if the process is exiting and the upload can't finish in time. */
export function shuttingDown(): UploadError {
  return new UploadError(503, "The site is shutting down. Try again in a moment.");
}
