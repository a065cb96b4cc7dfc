import { open } from "node:fs/promises";

/**
 * The boxes of an MP4 file (ISO/IEC 14496-12), read a header at a time: a 2 GiB file costs a few
 * reads of 16 bytes.
 */

export interface Box {
  type: string;
  /** Byte at which the box begins, its header included. */
  start: number;
  /** Byte at which its contents begin. */
  body: number;
  /** First byte after it. */
  end: number;
}

/** What boxes are read from: a FileHandle, or one that reads ahead. */
export interface BoxSource {
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number; buffer: Buffer }>;
}

const AHEAD_BYTES = 64 * 1024;

/**
 * Reads much at a time for those who ask for little: an index is dozens of headers side by side.
 *
 * @param head what is known of the beginning already.
 * @param size of the file in bytes.
 */
export function readingAhead(
  file: BoxSource,
  head: Buffer = Buffer.alloc(0),
  size = Number.POSITIVE_INFINITY,
): BoxSource {
  let ahead = head;
  let from = 0;
  return {
    async read(buffer, offset, length, position) {
      const end = Math.min(position + length, size);
      const isWithin = position >= from && end <= from + ahead.length;
      if (!isWithin && length > AHEAD_BYTES) return file.read(buffer, offset, length, position);
      if (!isWithin) {
        const memory = Buffer.allocUnsafe(AHEAD_BYTES);
        const { bytesRead } = await file.read(memory, 0, AHEAD_BYTES, position);
        ahead = memory.subarray(0, bytesRead);
        from = position;
      }
      const at = position - from;
      return { bytesRead: ahead.copy(buffer, offset, at, at + length), buffer };
    },
  };
}

/** A file of tiny boxes shall not keep us reading. */
const MAX_BOXES = 100_000;

/** The boxes that lie side by side from byte `from` to byte `to`; stops at the first broken one. */
export async function boxes(file: BoxSource, from: number, to: number): Promise<Box[]> {
  const header = Buffer.alloc(16);
  const list: Box[] = [];
  for (let start = from; start + 8 <= to && list.length < MAX_BOXES; ) {
    const { bytesRead } = await file.read(header, 0, 16, start);
    if (bytesRead < 8) break;
    const short = header.readUInt32BE(0);
    if (short === 1 && bytesRead < 16) break;
    const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? to - start : short;
    const body = start + (short === 1 ? 16 : 8);
    if (start + size < body) break;
    const end = Math.min(start + size, to);
    list.push({ type: header.toString("latin1", 4, 8), start, body, end });
    start += size;
  }
  return list;
}

/** What the order of an MP4's boxes says about how soon it plays over a network. */
export interface Layout {
  /** `moov`, which the player needs first, stands before the pictures. */
  moovFirst: boolean;
  /** The pictures lie in fragments, without one index of the whole. */
  fragmented: boolean;
}

/** Reads the layout of an MP4 or MOV file. */
export async function mp4Layout(path: string): Promise<Layout> {
  const file = await open(path);
  try {
    const top = await boxes(file, 0, (await file.stat()).size);
    const moov = top.find((box) => box.type === "moov");
    const mdat = top.find((box) => box.type === "mdat");
    const inside = moov ? await boxes(file, moov.body, moov.end) : [];
    return {
      moovFirst: moov !== undefined && (mdat === undefined || moov.start < mdat.start),
      fragmented: inside.some((box) => box.type === "mvex"),
    };
  } finally {
    await file.close();
  }
}
