/** RFC 9110 §13: whether the copy that a client holds is still the file. */

export interface Validators {
  /** Strong, with its quotes. */
  etag: string;
  /** Milliseconds since 1970; HTTP knows whole seconds. */
  lastModified: number;
}

/** The status that the preconditions of a request end it with, in the order of §13.2.2. */
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

/** Whether `If-None-Match` names the entity tag, by the weak comparison it is defined with. */
export function matchesWeakly(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = (tag: string) => tag.replace(/^W\//, "");
  return entityTags(ifNoneMatch).some((tag) => opaque(tag) === opaque(etag));
}

/** Whether `If-Range` still holds, so that a part fits what the client has (§13.1.5). */
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
