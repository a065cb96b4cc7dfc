/** Returns the header that says when another try makes sense (RFC 9110 section 10.2.3); none without a time. */
export function retryAfter(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { "Retry-After": String(seconds) };
}
