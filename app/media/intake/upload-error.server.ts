/** An upload that is not taken: the status it is answered with and the sentence that says why. */
export class UploadError extends Error {
  constructor(
    readonly status: 400 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 503 | 507,
    message: string,
    /** The form field at fault, when it is one. */
    readonly field?: string,
    /** When another try makes sense. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
    this.name = "UploadError";
  }
}

/** The codes with which a file system says that it has no room: full, over quota, over a limit. */
const NO_ROOM = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** What a failed write becomes: 507 when the disk is full, itself otherwise. */
export function toUploadError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code && NO_ROOM.has(code) ? diskFull() : error;
}

export function diskFull(): UploadError {
  return new UploadError(507, "There is not enough room on the disk for this file.");
}

/** ffprobe was ended before it had an answer, as on a machine that has no time or memory for it. */
export function probeInterrupted(): UploadError {
  return new UploadError(
    503,
    "The video could not be examined just now. Please try again in a moment.",
  );
}

export function truncated(): UploadError {
  return new UploadError(400, "The upload was cut off before its end.");
}

/** The process is leaving, and the upload would not arrive in time. */
export function shuttingDown(): UploadError {
  return new UploadError(503, "The site is going down. Please send this again in a moment.");
}
