import { FIRST_BOXES } from "../probe/box-headers.server";

/**
 * The metadata of MP4 and MOV (ISO/IEC 14496-12, and QuickTime). Every box that isn't known to be needed for
 * playing becomes `free`, filled with zeros, so that all others stay where the index says. Unknown boxes are
 * among them: makers of cameras and phones invent their own for places, serial numbers and previews.
 */

/** A file that is read at positions, on a thread that may wait for the disk. */
export interface Bytes {
  size: number;
  /** Reads up to `length` bytes: fewer at the end of the file. */
  read(at: number, length: number): Buffer;
}

/** Bytes to write over those at a position; as many as are there. */
export interface Edit {
  at: number;
  bytes: Buffer;
}

/** From a byte to the first one after it. */
interface Range {
  from: number;
  to: number;
}

/** A layout that is not rewritten in place. Its message says why. */
class LayoutError extends Error {}

interface Box extends Range {
  type: string;
  start: number;
}

/** The children that stay, by the box that they are in; those that map to nothing are left as they are. */
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
/** The role of a track in the scheme of DASH (ISO/IEC 23009-1 §5.8.5.5), by which captions are forced or for the deaf. */
const ROLE = /^\0{4}urn:mpeg:dash:role:2011\0[a-z-]{1,40}\0?$/;
const MAX_ROLE_BYTES = 100;
/** Handlers (§8.4.3) of tracks that are played. Others, of places, movements, times and chapters, are left out by a copy. */
const PLAYED = new Set(["vide", "soun", "sbtl", "subt", "clcp"]);

/** Boxes that are read of one file: a camera's has about a hundred. */
const MAX_BOXES = 20_000;
/** What is written over: a file with more is copied without it. */
const MAX_EDITED_BYTES = 64 * 1024 ** 2;
/** Read in one piece: the offsets of one track. A day at ten chunks a second takes 7 MB. */
const MAX_OFFSETS_BYTES = 16 * 1024 ** 2;

/** Returns what is to be written over in a file; undefined for a layout that is not rewritten in place. */
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
  /** The media data, in which no edit lies. */
  readonly media: readonly Range[];
  private boxCount = 0;
  private editedBytes = 0;

  constructor(private readonly file: Bytes) {
    const top = [...this.boxesIn({ from: 0, to: file.size }, true)];
    if (top.some(({ type }) => type === "moof")) throw new LayoutError("It has fragments.");
    this.media = top.filter(({ type }) => type === "mdat");
    for (const box of top) if (box.type !== "mdat") this.clean(box, "file");
  }

  /** Clears a box that isn't kept in its parent; else what in it tells of its maker. */
  private clean(box: Box, parent: string, handler = ""): void {
    const { type, start, from, to } = box;
    const isKept = KEPT[parent]!.has(type) && (type !== "kind" || this.isRole(box));
    if (!isKept) this.write(start + 4, Buffer.from("free", "latin1"));
    if (!isKept || type === "free" || type === "skip") this.clear(from, to);
    else if (type in KEPT) this.cleanChildren(box, handler);
    else if (type === "mvhd" || type === "tkhd" || type === "mdhd") {
      // When it was made and changed; 64-bit times in version 1.
      this.clearField(box, 4, this.read(from, 1)[0] === 1 ? 16 : 8);
    } else if (type === "hdlr") {
      // A name, behind what says of which type the track is.
      this.clear(Math.min(from + 24, to), to);
    } else if (type === "dref") this.clearReferences(box);
    else if (type === "stsd") this.clearEncoders(box, handler);
    else if (type === "stco" || type === "co64") this.checkChunks(box);
  }

  private isRole({ from, to }: Box): boolean {
    return to - from <= MAX_ROLE_BYTES && ROLE.test(this.read(from, to - from).toString("latin1"));
  }

  /** @param handler the type of the track, which says how its sample entries are read. */
  private cleanChildren(parent: Box, handler: string): void {
    const children = [...this.boxesIn(parent)];
    if (children.some(({ type }) => type === "cmov")) throw new LayoutError("It is compressed.");
    let type = handler;
    if (parent.type === "mdia") {
      const box = children.find((each) => each.type === "hdlr");
      type = box ? this.read(box.from + 8, 4).toString("latin1") : "none";
      if (!PLAYED.has(type)) throw new LayoutError(`It has a track of the kind “${type}”.`);
    }
    for (const box of children) this.clean(box, parent.type, type);
  }

  /** Names of disks and folders, where the media data are in the file itself (flag 1). */
  private clearReferences({ from, to }: Box): void {
    for (const entry of this.boxesIn({ from: from + 8, to })) {
      if ((this.read(entry.from, 4)[3]! & 1) === 1) this.clear(entry.from + 4, entry.to);
    }
  }

  /** Who made the encoder, and its name, in sample entries (§8.5.2, and QuickTime). */
  private clearEncoders({ from, to }: Box, handler: string): void {
    if (handler !== "vide" && handler !== "soun") return;
    for (const entry of this.boxesIn({ from: from + 8, to })) {
      this.clearField(entry, 12, 4);
      if (handler === "vide") this.clearField(entry, 42, 32);
    }
  }

  /**
   * Checks that every chunk of a track (§8.7.5) starts in the media data. An index may point anywhere, and what it
   * points to in another box would be overwritten.
   */
  private checkChunks({ type, from, to }: Box): void {
    if (to - from > MAX_OFFSETS_BYTES) throw new LayoutError("Its index is too long.");
    const table = this.read(from, to - from);
    const bytes = type === "stco" ? 4 : 8;
    for (let at = 8; at + bytes <= table.length; at += bytes) {
      const offset = bytes === 4 ? table.readUInt32BE(at) : Number(table.readBigUInt64BE(at));
      const isMissing = offset >= this.file.size;
      if (!isMissing && !this.media.some(({ from, to }) => offset >= from && offset < to))
        throw new LayoutError("Its index points outside the media data.");
    }
  }

  /** Reads bytes that have to be there. */
  private read(at: number, length: number): Buffer {
    const bytes = this.file.read(at, length);
    if (bytes.length < length) throw new LayoutError("It ends too soon.");
    return bytes;
  }

  /** Writes over bytes, unless they are there already. */
  private write(at: number, bytes: Buffer): void {
    if (this.read(at, bytes.length).equals(bytes)) return;
    this.editedBytes += bytes.length;
    if (this.editedBytes > MAX_EDITED_BYTES) throw new LayoutError("It has too much metadata.");
    this.edits.push({ at, bytes });
  }

  /** Writes zeros over everything in a range. */
  private clear(from: number, to: number): void {
    if (to - from > MAX_EDITED_BYTES) throw new LayoutError("It has too much metadata.");
    if (to > from) this.write(from, Buffer.alloc(to - from));
  }

  private clearField({ from, to }: Box, at: number, bytes: number): void {
    if (from + at + bytes > to) throw new LayoutError("A box is too short.");
    this.clear(from + at, from + at + bytes);
  }

  /**
   * The boxes that lie side by side. At the top level the last one may have no length, and `mdat` may be cut off;
   * every other box has to end within its parent. Fewer than eight bytes at the end of a parent are padding.
   */
  private *boxesIn({ from, to: end }: Range, isTop = false): Generator<Box> {
    let start = from;
    while (end - start >= 8) {
      this.boxCount += 1;
      if (this.boxCount > MAX_BOXES) throw new LayoutError("It has too many boxes.");
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
        throw new LayoutError("A box ends behind its parent.");
      const to = Math.min(start + size, end);
      yield { type, start, from: body, to };
      start = to;
    }
    if (start > end) throw new LayoutError("A box ends behind its parent.");
    if (start < end) this.clear(start, end);
  }
}
