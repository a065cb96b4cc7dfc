import { isBusy } from "~db/write-lock";

/** The reason why an account form failed, with the response status. */
export class FormError extends Error {
  constructor(
    public status: number,
    message: string,
    public retryAfterSeconds?: number,
  ) {
    super(message);
  }

  /** The invalid field, if the form has several. */
  field?: "code";

  /** Options for `data(…)`, including Retry-After if waiting helps (RFC 9110 §10.2.3). */
  get init(): { status: number; headers?: Record<string, string> } {
    const { status, retryAfterSeconds } = this;
    if (retryAfterSeconds === undefined) return { status };
    return { status, headers: { "Retry-After": String(retryAfterSeconds) } };
  }
}

/** Creates the error that is shown after too many attempts. */
export function tooManyAttempts(waitSeconds: number): FormError {
  const minutes = Math.ceil(waitSeconds / 60);
  const wait = `${minutes} ${minutes === 1 ? "minute" : "minutes"}`;
  return new FormError(429, `Too many attempts. Try again in ${wait}.`, waitSeconds);
}

/**
 * Converts an error into a failure of an account form.
 *
 * @throws the error if it is neither a FormError nor a busy database.
 */
export function toFormError(error: unknown): FormError {
  if (error instanceof FormError) return error;
  if (isBusy(error)) return new FormError(503, "The site is busy. Try again in a few seconds.", 5);
  throw error;
}
