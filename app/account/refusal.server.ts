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
