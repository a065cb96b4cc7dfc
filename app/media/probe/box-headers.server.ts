import type { InputFile } from "../storage/ranged-input.server";

/** How an MP4 or MOV begins: ISO/IEC 14496-12 §4.2, and QuickTime before `ftyp` was there. */
export const FIRST_BOXES: ReadonlySet<string> = new Set([
  ...["ftyp", "styp", "moov", "mdat", "wide", "free", "skip", "pnot"],
]);

/** A box of an MP4 file (ISO/IEC 14496-12 §4.2), of which only the header is read. */
export interface BoxHeader {
  type: string;
  /** Byte at which the box begins, its header included. */
  start: number;
  /** Byte at which its contents begin. */
  body: number;
  /** First byte after it, or after what is there of it. */
  end: number;
  /** The file does not end before the box does. */
  isWhole: boolean;
}

/**
 * The headers of the boxes that lie side by side from byte `from` to byte `to`, 16 bytes at a time;
 * it stops at the first broken one. Whoever reads a stranger's file stops after a few.
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
