import type { InputFile } from "../storage/ranged-input.server";

/** The box types with which an MP4 or MOV may begin: ISO/IEC 14496-12 §4.2, and QuickTime files without `ftyp`. */
export const FIRST_BOXES: ReadonlySet<string> = new Set([
  ...["ftyp", "styp", "moov", "mdat", "wide", "free", "skip", "pnot"],
]);

/** The header of a box in an MP4 file (ISO/IEC 14496-12 §4.2). */
export interface BoxHeader {
  type: string;
  /** The offset of the box, including its header. */
  start: number;
  /** The offset of the box's contents. */
  body: number;
  /** The offset of the first byte after the box, or the end of the range if the box is truncated. */
  end: number;
  /** Whether the box is complete rather than truncated. */
  isWhole: boolean;
}

/**
 * Yields the headers of consecutive boxes from offset `from` to `to`. Reads 16 bytes per box and stops at the first
 * invalid box. For untrusted files, the caller has to limit the number of boxes.
 */
export async function* boxHeaders(
  file: Pick<InputFile, "read">,
  from: number,
  to: number,
): AsyncGenerator<BoxHeader> {
  const header = Buffer.alloc(16);
  for (let start = from; start + 8 <= to; ) {
    const { bytesRead } = await file.read(header, 0, 16, start);
    if (bytesRead < 8) return;
    const short = header.readUInt32BE(0);
    if (short === 1 && bytesRead < 16) return;
    const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? to - start : short;
    const body = start + (short === 1 ? 16 : 8);
    if (start + size < body) return;
    const end = Math.min(start + size, to);
    const isWhole = start + size <= to;
    yield { type: header.toString("latin1", 4, 8), start, body, end, isWhole };
    start += size;
  }
}
