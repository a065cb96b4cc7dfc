import { isBusy } from "~db/write-lock";

/** A form of an account that is refused, with the answer's status. */
export class FormError extends Error {
  constructor(
    public status: number,
    message: string,
    public retryAfterSeconds?: number,
  ) {
    super(message);
  }

  /** The field that it is about, where the form has several. */
  field?: "code";

  /** For `data(...)`: Retry-After where waiting helps (RFC 9110 section 10.2.3). */
  get init(): { status: number; headers?: Record<string, string> } {
    const { status, retryAfterSeconds } = this;
    if (retryAfterSeconds === undefined) return { status };
    return { status, headers: { "Retry-After": String(retryAfterSeconds) } };
  }
}

/** For somebody who has tried too often. */
export function tooManyAttempts(waitSeconds: number): FormError {
  const minutes = Math.ceil(waitSeconds / 60);
  const wait = `${minutes} ${minutes === 1 ? "minute" : "minutes"}`;
  return new FormError(429, `Too many attempts. Try again in ${wait}.`, waitSeconds);
}

/**
 * What to answer for something that an account's form failed with.
 *
 * @throws the error, when it is neither a FormError nor another process's lock on the database.
 */
export function toFormError(error: unknown): FormError {
  if (error instanceof FormError) return error;
  if (isBusy(error)) return new FormError(503, "The site is busy. Try again in a few seconds.", 5);
  throw error;
}
