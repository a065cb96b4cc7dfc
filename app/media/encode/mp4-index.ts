/**
 * The index of an MP4 (`moov`, ISO/IEC 14496-12), written anew for a file that has it in front: with
 * the places of all samples moved, without what tells who filmed where and when.
 */

/** A file that is built otherwise than this module knows; ffmpeg reads those. */
export class OtherLayoutError extends Error {}

/** Bytes of a file, from `start` up to `end`. */
export interface Span {
  start: number;
  end: number;
}

interface Part {
  type: string;
  /** The box with its header. */
  whole: Buffer;
  /** What is in it. */
  body: Buffer;
}

/** What is kept of each box that holds others; of `stbl` everything. */
const KEPT: Record<string, readonly string[] | "all"> = {
  moov: ["mvhd", "trak"],
  trak: ["tkhd", "edts", "mdia"],
  mdia: ["mdhd", "hdlr", "minf"],
  minf: ["vmhd", "smhd", "dinf", "stbl"],
  stbl: "all",
};
/** Boxes that hold places in the file which are not followed here. */
const UNKNOWN_PLACES = ["saio", "saiz", "cmov", "mvex"];
const MOST_32_BITS = 0xffff_ffff;

/**
 * @param moov the box with its header.
 * @param data where the samples stand in the file as it is.
 * @param shift by how many bytes they will stand further back.
 * @param wide whether places are written in 64 bits. The length of the result depends on nothing else.
 * @throws {OtherLayoutError} when it has anything but one picture and at most one sound, all inside
 *   `data`.
 */
export function rewriteIndex(moov: Buffer, data: Span, shift: number, wide: boolean): Buffer {
  const [part, ...more] = partsOf(moov);
  if (part?.type !== "moov" || more.length > 0) throw new OtherLayoutError();
  const kinds: string[] = [];
  const written = rewrite(part, { data, shift, wide, kinds });
  const pictures = kinds.filter((kind) => kind === "vide").length;
  const sounds = kinds.filter((kind) => kind === "soun").length;
  if (pictures !== 1 || sounds > 1 || pictures + sounds !== kinds.length) {
    throw new OtherLayoutError();
  }
  return written;
}

interface Rules {
  data: Span;
  shift: number;
  wide: boolean;
  /** Of the tracks that were met. */
  kinds: string[];
}

function rewrite(part: Part, rules: Rules): Buffer {
  if (UNKNOWN_PLACES.includes(part.type)) throw new OtherLayoutError();
  const kept = KEPT[part.type];
  if (kept) {
    const inside = partsOf(part.body);
    if (inside.some(({ type }) => UNKNOWN_PLACES.includes(type))) throw new OtherLayoutError();
    const some = inside.filter(({ type }) => kept === "all" || kept.includes(type));
    return box(part.type, ...some.map((each) => rewrite(each, rules)));
  }
  switch (part.type) {
    case "stco":
    case "co64":
      return places(part, rules);
    case "mvhd":
    case "mdhd":
      return box(part.type, undated(part.body));
    case "tkhd":
      // A track that is switched off plays nowhere; ffmpeg switches it on.
      if ((at(part.body, 3) & 1) === 0) throw new OtherLayoutError();
      return box(part.type, undated(part.body));
    case "hdlr":
      rules.kinds.push(part.body.toString("latin1", 8, 12));
      return box(part.type, unnamed(part.body));
    case "dinf":
      requireSelfContained(part);
      return part.whole;
    default:
      return part.whole;
  }
}

/** Where each run of samples begins. */
function places({ type, body }: Part, { data, shift, wide }: Rules): Buffer {
  const bytes = type === "co64" ? 8 : 4;
  if (body.length < 8) throw new OtherLayoutError();
  const count = body.readUInt32BE(4);
  if (body.length < 8 + count * bytes) throw new OtherLayoutError();
  const isWide = wide || type === "co64";
  const written = Buffer.alloc(8 + count * (isWide ? 8 : 4));
  written.writeUInt32BE(count, 4);
  for (let index = 0; index < count; index++) {
    const from = 8 + index * bytes;
    const place = bytes === 8 ? Number(body.readBigUInt64BE(from)) : body.readUInt32BE(from);
    if (place < data.start || place >= data.end) throw new OtherLayoutError();
    const moved = place + shift;
    if (isWide) written.writeBigUInt64BE(BigInt(moved), 8 + index * 8);
    else if (moved <= MOST_32_BITS) written.writeUInt32BE(moved, 8 + index * 4);
    else throw new OtherLayoutError();
  }
  return box(isWide ? "co64" : "stco", written);
}

/** The same without the times at which it was made and changed. */
function undated(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  return copy.fill(0, 4, at(copy, 0) === 1 ? 20 : 12);
}

/** The same without the name that a program, or a person, has given the track. */
function unnamed(body: Buffer): Buffer {
  return Buffer.from(body).fill(0, Math.min(24, body.length));
}

/** The samples stand in this file and in no other. */
function requireSelfContained({ body }: Part): void {
  const dref = partsOf(body).find(({ type }) => type === "dref");
  const entries = dref ? partsOf(dref.body.subarray(8)) : [];
  if (entries.length !== 1 || (at(entries[0]!.body, 3) & 1) === 0) throw new OtherLayoutError();
}

function partsOf(bytes: Buffer): Part[] {
  const parts: Part[] = [];
  for (let start = 0; start < bytes.length; ) {
    if (start + 8 > bytes.length) throw new OtherLayoutError();
    const size = bytes.readUInt32BE(start);
    // Nothing in an index is so large that its size would take 64 bits.
    if (size < 8 || start + size > bytes.length) throw new OtherLayoutError();
    const whole = bytes.subarray(start, start + size);
    parts.push({ type: whole.toString("latin1", 4, 8), whole, body: whole.subarray(8) });
    start += size;
  }
  return parts;
}

export function box(type: string, ...contents: Buffer[]): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(contents.reduce((sum, each) => sum + each.length, 8));
  header.write(type, 4, "latin1");
  return Buffer.concat([header, ...contents]);
}

function at(bytes: Buffer, index: number): number {
  const value = bytes[index];
  if (value === undefined) throw new OtherLayoutError();
  return value;
}
