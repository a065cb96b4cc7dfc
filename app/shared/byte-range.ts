/** Range requests (RFC 9110 §14). */

export interface ByteRange {
  start: number;
  /** The last position, inclusive, as in `Content-Range`. */
  end: number;
}

/** Never use two adjacent `\s*` here, because backtracking over 16 KB of spaces would take a second. */
const BYTES = /^bytes=(?:\s*(\d+))?\s*-(?:\s*(\d+))?\s*$/i;

/**
 * Reads a `Range` header.
 *
 * @returns the requested range; "unsatisfiable" if the range lies outside the file; undefined if the whole file has to
 * be sent, for example because multiple ranges or anything other than a byte range is requested.
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
