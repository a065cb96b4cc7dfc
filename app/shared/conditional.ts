/** Conditional requests (RFC 9110 §13). */

export interface Validators {
  /** A strong entity tag, including its quotes. */
  etag: string;
  /** The time of the last change in milliseconds since the epoch. HTTP dates are precise only to the second. */
  lastModified: number;
}

/**
 * Evaluates the request's preconditions in the order of §13.2.2, and returns the response status if one of them fails.
 */
export function failedPrecondition(
  headers: Headers,
  validators: Validators,
): 304 | 412 | undefined {
  const seconds = Math.floor(validators.lastModified / 1000);
  const ifMatch = headers.get("If-Match");
  if (ifMatch !== null) {
    if (ifMatch.trim() !== "*" && !entityTags(ifMatch).includes(validators.etag)) return 412;
  } else {
    const since = dateSeconds(headers.get("If-Unmodified-Since"));
    if (since !== undefined && seconds > since) return 412;
  }
  const ifNoneMatch = headers.get("If-None-Match");
  if (ifNoneMatch !== null) return matchesWeakly(ifNoneMatch, validators.etag) ? 304 : undefined;
  const since = dateSeconds(headers.get("If-Modified-Since"));
  return since !== undefined && seconds <= since ? 304 : undefined;
}

/** Whether `If-None-Match` matches the entity tag, using the weak comparison that the header's definition requires. */
export function matchesWeakly(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = (tag: string) => tag.replace(/^W\//, "");
  return entityTags(ifNoneMatch).some((tag) => opaque(tag) === opaque(etag));
}

/** Whether `If-Range` matches the current file, so that the client can combine a range with its copy (§13.1.5). */
export function rangeStillFits(ifRange: string | null, validators: Validators): boolean {
  if (ifRange === null) return true;
  if (ifRange.includes('"')) return ifRange.trim() === validators.etag;
  return dateSeconds(ifRange) === Math.floor(validators.lastModified / 1000);
}

function entityTags(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

function dateSeconds(header: string | null): number | undefined {
  const time = header === null ? Number.NaN : Date.parse(header);
  return Number.isNaN(time) ? undefined : time / 1000;
}
