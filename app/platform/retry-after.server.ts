/** Returns a Retry-After header (RFC 9110 §10.2.3), or no header if `seconds` is undefined. */
export function retryAfter(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { "Retry-After": String(seconds) };
}
