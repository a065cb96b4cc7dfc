import { isBusy } from "~db/write-lock";

/** A form of an account that is refused: what to answer, and what the page keeps of it. */
export class Refusal extends Error {
  constructor(
    public status: number,
    message: string,
    public retryAfterSeconds?: number,
  ) {
    super(message);
  }

  /** For `data(...)`: Retry-After where waiting helps (RFC 9110 section 10.2.3). */
  get init(): { status: number; headers?: Record<string, string> } {
    const { status, retryAfterSeconds } = this;
    if (retryAfterSeconds === undefined) return { status };
    return { status, headers: { "Retry-After": String(retryAfterSeconds) } };
  }
}

/** The refusal of somebody who has tried too often. */
export function tooManyAttempts(waitSeconds: number): Refusal {
  const minutes = Math.ceil(waitSeconds / 60);
  const wait = `${minutes} ${minutes === 1 ? "minute" : "minutes"}`;
  return new Refusal(429, `Too many attempts. Try again in ${wait}.`, waitSeconds);
}

/**
 * What to answer for something that an account's form failed with.
 *
 * @throws the error, when it is neither a refusal nor another process's lock on the database.
 */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (isBusy(error)) return new Refusal(503, "The site is busy. Try again in a few seconds.", 5);
  throw error;
}
