import { FIRST_BOXES } from "../probe/box-headers.server";

/**
 * Removes metadata from MP4 and MOV (ISO/IEC 14496-12, and QuickTime). Every box that isn't known to be needed for
 * playback becomes a `free` box filled with zeros, so that all other boxes keep their offsets. Unknown boxes are
 * cleared too, because camera and phone vendors invent boxes for locations, serial numbers and previews.
 */

/** A file with random access, read synchronously in a worker thread. */
export interface Bytes {
  size: number;
  /** Reads up to `length` bytes; fewer at the end of the file. */
  read(at: number, length: number): Buffer;
}

/** Bytes that replace the existing bytes at a position. The file's length doesn't change. */
export interface Edit {
  at: number;
  bytes: Buffer;
}

/** A byte range; `to` is exclusive. */
interface Range {
  from: number;
  to: number;
}

/** Thrown for a layout that can't be rewritten in place. */
class LayoutError extends Error {}

interface Box extends Range {
  type: string;
  start: number;
}

/** The child boxes that are kept, by parent. Kept boxes that aren't listed as parents keep their content. */
const KEPT: Record<string, ReadonlySet<string>> = {
  file: new Set(["ftyp", "styp", "moov", "mdat", "sidx", "free", "skip", "wide"]),
  moov: new Set(["mvhd", "trak", "mvex", "iods"]),
  trak: new Set(["tkhd", "edts", "mdia", "tref", "tapt", "clip", "matt", "load", "udta"]),
  udta: new Set(["kind"]),
  mdia: new Set(["mdhd", "hdlr", "minf", "elng"]),
  minf: new Set(["vmhd", "smhd", "hmhd", "sthd", "nmhd", "hdlr", "dinf", "stbl"]),
  dinf: new Set(["dref"]),
  stbl: new Set([
    ...["stsd", "stts", "ctts", "cslg", "stss", "stps", "stsh", "stsz", "stz2", "stsc", "stco"],
    ...["co64", "sdtp", "sbgp", "sgpd", "subs", "saiz", "saio", "padb", "stdp"],
  ]),
};
/** A track's DASH role (ISO/IEC 23009-1 §5.8.5.5), such as for forced captions or captions for the deaf. */
const ROLE = /^\0{4}urn:mpeg:dash:role:2011\0[a-z-]{1,40}\0?$/;
const MAX_ROLE_BYTES = 100;
/**
 * The handler types (§8.4.3) of tracks that are played. Other tracks contain locations, motion data, timecode or
 * chapters.
 */
const PLAYED = new Set(["vide", "soun", "sbtl", "subt", "clcp"]);

/** The maximum number of boxes read per file. A camera's file has about a hundred. */
const MAX_BOXES = 20_000;
/** The maximum number of bytes that are overwritten. A file with more metadata is remuxed instead. */
const MAX_EDITED_BYTES = 64 * 1024 ** 2;
/**
 * The maximum number of chunk offsets per track, which are read all at once. A day of video with ten chunks per second
 * takes 7 MB.
 */
const MAX_OFFSETS_BYTES = 16 * 1024 ** 2;

/** Returns the edits that remove a file's metadata; undefined for a layout that can't be rewritten in place. */
export function planFor(file: Bytes): Mp4Plan | undefined {
  if (!FIRST_BOXES.has(file.read(4, 4).toString("latin1"))) return undefined;
  try {
    return new Mp4Plan(file);
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}

class Mp4Plan {
  readonly edits: Edit[] = [];
  /** The media data, which no edit may overwrite. */
  readonly media: readonly Range[];
  private boxCount = 0;
  private editedBytes = 0;

  constructor(private readonly file: Bytes) {
    const top = [...this.boxesIn({ from: 0, to: file.size }, true)];
    if (top.some(({ type }) => type === "moof")) throw new LayoutError("The file is fragmented.");
    this.media = top.filter(({ type }) => type === "mdat");
    for (const box of top) if (box.type !== "mdat") this.clean(box, "file");
  }

  /** Clears a box that isn't kept in its parent, or the fields of a kept box that identify the file's author. */
  private clean(box: Box, parent: string, handler = ""): void {
    const { type, start, from, to } = box;
    const isKept = KEPT[parent]!.has(type) && (type !== "kind" || this.isRole(box));
    if (!isKept) this.write(start + 4, Buffer.from("free", "latin1"));
    if (!isKept || type === "free" || type === "skip") this.clear(from, to);
    else if (type in KEPT) this.cleanChildren(box, handler);
    else if (type === "mvhd" || type === "tkhd" || type === "mdhd") {
      // The creation and modification times, with 64 bits each in version 1.
      this.clearField(box, 4, this.read(from, 1)[0] === 1 ? 16 : 8);
    } else if (type === "hdlr") {
      // The handler's name, which follows its type.
      this.clear(Math.min(from + 24, to), to);
    } else if (type === "dref") this.clearReferences(box);
    else if (type === "stsd") this.clearEncoders(box, handler);
    else if (type === "stco" || type === "co64") this.checkChunks(box);
  }

  private isRole({ from, to }: Box): boolean {
    return to - from <= MAX_ROLE_BYTES && ROLE.test(this.read(from, to - from).toString("latin1"));
  }

  /** @param handler the track's handler type, which determines the format of its sample entries. */
  private cleanChildren(parent: Box, handler: string): void {
    const children = [...this.boxesIn(parent)];
    if (children.some(({ type }) => type === "cmov"))
      throw new LayoutError("The index is compressed.");
    let type = handler;
    if (parent.type === "mdia") {
      const box = children.find((each) => each.type === "hdlr");
      type = box ? this.read(box.from + 8, 4).toString("latin1") : "none";
      if (!PLAYED.has(type)) throw new LayoutError(`The file has a track of type “${type}”.`);
    }
    for (const box of children) this.clean(box, parent.type, type);
  }

  /** Clears the names of disks and folders if the media data is in the file itself (flag 1). */
  private clearReferences({ from, to }: Box): void {
    for (const entry of this.boxesIn({ from: from + 8, to })) {
      if ((this.read(entry.from, 4)[3]! & 1) === 1) this.clear(entry.from + 4, entry.to);
    }
  }

  /** Clears the vendor and the encoder's name in sample entries (§8.5.2, and QuickTime). */
  private clearEncoders({ from, to }: Box, handler: string): void {
    if (handler !== "vide" && handler !== "soun") return;
    for (const entry of this.boxesIn({ from: from + 8, to })) {
      this.clearField(entry, 12, 4);
      if (handler === "vide") this.clearField(entry, 42, 32);
    }
  }

  /**
   * Checks that every chunk of a track (§8.7.5) starts in the media data. An index may point anywhere, and samples in
   * other boxes would otherwise be overwritten.
   */
  private checkChunks({ type, from, to }: Box): void {
    if (to - from > MAX_OFFSETS_BYTES) throw new LayoutError("The index is too long.");
    const table = this.read(from, to - from);
    const bytes = type === "stco" ? 4 : 8;
    for (let at = 8; at + bytes <= table.length; at += bytes) {
      const offset = bytes === 4 ? table.readUInt32BE(at) : Number(table.readBigUInt64BE(at));
      const isMissing = offset >= this.file.size;
      if (!isMissing && !this.media.some(({ from, to }) => offset >= from && offset < to))
        throw new LayoutError("The index points outside the media data.");
    }
  }

  /** Reads the given number of bytes, and throws if the file ends before that. */
  private read(at: number, length: number): Buffer {
    const bytes = this.file.read(at, length);
    if (bytes.length < length) throw new LayoutError("The file ends too early.");
    return bytes;
  }

  /** Overwrites bytes, unless they already have the new values. */
  private write(at: number, bytes: Buffer): void {
    if (this.read(at, bytes.length).equals(bytes)) return;
    this.editedBytes += bytes.length;
    if (this.editedBytes > MAX_EDITED_BYTES) throw new LayoutError("The metadata is too large.");
    this.edits.push({ at, bytes });
  }

  /** Overwrites a range with zeros. */
  private clear(from: number, to: number): void {
    if (to - from > MAX_EDITED_BYTES) throw new LayoutError("The metadata is too large.");
    if (to > from) this.write(from, Buffer.alloc(to - from));
  }

  private clearField({ from, to }: Box, at: number, bytes: number): void {
    if (from + at + bytes > to) throw new LayoutError("A box is too short.");
    this.clear(from + at, from + at + bytes);
  }

  /**
   * Yields the boxes in a range. At the top level, the last box may have no length, and `mdat` may be truncated. All
   * other boxes have to end within their parents. Fewer than eight bytes at the end of a parent are padding.
   */
  private *boxesIn({ from, to: end }: Range, isTop = false): Generator<Box> {
    let start = from;
    while (end - start >= 8) {
      this.boxCount += 1;
      if (this.boxCount > MAX_BOXES) throw new LayoutError("The file has too many boxes.");
      const header = this.read(start, 8);
      const type = header.toString("latin1", 4, 8);
      const short = header.readUInt32BE(0);
      const size =
        short === 1
          ? Number(this.read(start + 8, 8).readBigUInt64BE(0))
          : short === 0 && isTop
            ? end - start
            : short;
      const body = start + (short === 1 ? 16 : 8);
      if (body > end || start + size < body) throw new LayoutError("A box is too short.");
      if (start + size > end && !(isTop && type === "mdat"))
        throw new LayoutError("A box extends beyond its parent.");
      const to = Math.min(start + size, end);
      yield { type, start, from: body, to };
      start = to;
    }
    if (start > end) throw new LayoutError("A box extends beyond its parent.");
    if (start < end) this.clear(start, end);
  }
}
