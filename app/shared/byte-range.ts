/** RFC 9110 §14: which bytes of a file a request asks for. */

export interface ByteRange {
  start: number;
  /** Inclusive, as in `Content-Range`. */
  end: number;
}

/** No two runs of spaces beside each other: those are matched in every way, and 16 KB of them take a second. */
const BYTES = /^bytes=(?:\s*(\d+))?\s*-(?:\s*(\d+))?\s*$/i;

/**
 * Reads a `Range` header.
 *
 * @returns the one range that is asked for; "unsatisfiable" when it lies outside of the file; or
 * undefined for the whole file, which also answers several ranges and what is not a byte range.
 */
export function parseByteRange(
  header: string | null,
  size: number,
): ByteRange | "unsatisfiable" | undefined {
  const match = BYTES.exec(header ?? "");
  if (!match) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "") {
    if (last === "") return undefined;
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Number(last);
  if (last !== "" && end < start) return undefined;
  return start >= size ? "unsatisfiable" : { start, end: Math.min(end, size - 1) };
}
