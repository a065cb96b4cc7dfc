import { LayoutError, type Plan, type PlanBuilder } from "./plan";

/**
 * The metadata of MP4 and MOV (ISO/IEC 14496-12, and QuickTime). Every box that isn't known to be needed for
 * playing becomes `free`, filled with zeros, so that all others stay where the index says. Unknown boxes are
 * among them: makers of cameras and phones invent their own for places, serial numbers and previews.
 */

interface Box {
  type: string;
  start: number;
  body: number;
  end: number;
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
    ...[
      "stsd",
      "stts",
      "ctts",
      "cslg",
      "stss",
      "stps",
      "stsh",
      "stsz",
      "stz2",
      "stsc",
      "stco",
      "co64",
    ],
    ...["sdtp", "sbgp", "sgpd", "subs", "saiz", "saio", "padb", "stdp"],
  ]),
};
/** The role of a track in the scheme of DASH (ISO/IEC 23009-1 §5.8.5.5), by which captions are forced or for the deaf. */
const ROLE = /^\0{4}urn:mpeg:dash:role:2011\0[a-z-]{1,40}\0?$/;
const MAX_ROLE_BYTES = 100;
const EMPTY = new Set(["free", "skip"]);
/** Boxes with the chunk offsets of a track (§8.7.5), and the bytes of each offset. */
const OFFSET_BYTES: Record<string, number> = { stco: 4, co64: 8 };
/** Read in one piece: the offsets of one track. A day at ten chunks a second takes 7 MB. */
const MAX_OFFSETS_BYTES = 16 * 1024 ** 2;
const TIMED = new Set(["mvhd", "tkhd", "mdhd"]);
/** Handlers (§8.4.3) of tracks that are played. Others, of places, movements, times and chapters, are left out by a copy. */
const PLAYED = new Set(["vide", "soun", "sbtl", "subt", "clcp"]);

/** Of `hdlr` (§8.4.3): version and flags, a field, the type, 12 more bytes, then the name. */
const HANDLER_TYPE_AT = 8;
const HANDLER_NAME_AT = 24;
/** Of a sample entry (§8.5.2, and QuickTime): who made the encoder, and its name. */
const VENDOR = { at: 12, bytes: 4 };
const COMPRESSOR_NAME = { at: 42, bytes: 32 };

/** @throws {LayoutError} for a layout that is not rewritten in place. */
export function planMp4(builder: PlanBuilder): Plan {
  const chunks: Box[] = [];
  for (const box of boxesIn(builder, { from: 0, to: builder.file.size }, true)) {
    if (box.type === "moof") throw new LayoutError("It has fragments.");
    if (box.type === "mdat") builder.media.push({ from: box.body, to: box.end });
    else clean(builder, box, "file", chunks);
  }
  for (const box of chunks) checkChunks(builder, box);
  return builder.plan();
}

/**
 * Checks that every chunk of a track starts in the media data. An index may point anywhere, and what it points to
 * in another box would be overwritten.
 */
function checkChunks(builder: PlanBuilder, { type, body, end }: Box): void {
  if (end - body > MAX_OFFSETS_BYTES) throw new LayoutError("Its index is too long.");
  const bytes = OFFSET_BYTES[type]!;
  const table = builder.read(body, end - body);
  for (let at = 8; at + bytes <= table.length; at += bytes) {
    const offset = bytes === 4 ? table.readUInt32BE(at) : Number(table.readBigUInt64BE(at));
    const isMissing = offset >= builder.file.size;
    if (!isMissing && !builder.media.some(({ from, to }) => offset >= from && offset < to)) {
      throw new LayoutError("Its index points outside the media data.");
    }
  }
}

/** Removes what a box holds if it isn't kept in its parent; else cleans what is in it. */
function clean(builder: PlanBuilder, box: Box, parent: string, chunks: Box[]): void {
  const isKept = KEPT[parent]!.has(box.type) && (box.type !== "kind" || isRole(builder, box));
  if (!isKept) builder.write(box.start + 4, Buffer.from("free", "latin1"));
  if (!isKept || EMPTY.has(box.type)) builder.clear(box.body, box.end);
  else if (box.type in KEPT) cleanChildren(builder, box, chunks);
  else if (TIMED.has(box.type)) clearTimes(builder, box);
  else if (box.type === "hdlr") {
    builder.clear(Math.min(box.body + HANDLER_NAME_AT, box.end), box.end);
  } else if (box.type === "dref") clearReferences(builder, box);
  else if (box.type in OFFSET_BYTES) chunks.push(box);
}

function isRole(builder: PlanBuilder, { body, end }: Box): boolean {
  return (
    end - body <= MAX_ROLE_BYTES && ROLE.test(builder.read(body, end - body).toString("latin1"))
  );
}

function cleanChildren(builder: PlanBuilder, parent: Box, chunks: Box[]): void {
  const children = [...boxesIn(builder, { from: parent.body, to: parent.end })];
  if (parent.type === "moov" && children.some(({ type }) => type === "cmov")) {
    throw new LayoutError("Its index is compressed.");
  }
  for (const box of children) clean(builder, box, parent.type, chunks);
  if (parent.type === "mdia") cleanMedia(builder, children);
}

/** The type of a track, in its `hdlr`, says how its sample entries are read. */
function cleanMedia(builder: PlanBuilder, children: readonly Box[]): void {
  const handlerBox = children.find(({ type }) => type === "hdlr");
  const handler = handlerBox
    ? builder.read(handlerBox.body + HANDLER_TYPE_AT, 4).toString("latin1")
    : "none";
  if (!PLAYED.has(handler)) throw new LayoutError(`It has a track of the kind “${handler}”.`);
  if (handler !== "vide" && handler !== "soun") return;
  for (const description of descendants(builder, children, ["minf", "stbl", "stsd"])) {
    const entries = { from: description.body + 8, to: description.end };
    for (const entry of boxesIn(builder, entries)) {
      clearField(builder, entry, VENDOR);
      if (handler === "vide") clearField(builder, entry, COMPRESSOR_NAME);
    }
  }
}

function descendants(
  builder: PlanBuilder,
  boxes: readonly Box[],
  [first, ...rest]: string[],
): Box[] {
  const found = boxes.filter(({ type }) => type === first);
  if (rest.length === 0) return found;
  return found.flatMap(({ body, end }) =>
    descendants(builder, [...boxesIn(builder, { from: body, to: end })], rest),
  );
}

function clearField(builder: PlanBuilder, { body, end }: Box, field: typeof VENDOR): void {
  if (body + field.at + field.bytes > end) throw new LayoutError("A sample entry is too short.");
  builder.clear(body + field.at, body + field.at + field.bytes);
}

/** When it was made and changed; 64-bit times in version 1. */
function clearTimes(builder: PlanBuilder, { body, end }: Box): void {
  const [version] = builder.read(body, 1);
  const from = body + 4;
  const to = from + (version === 1 ? 16 : 8);
  if (to > end) throw new LayoutError("A header is too short.");
  builder.clear(from, to);
}

/** Names of disks and folders, where the media data are in the file itself (flag 1). */
function clearReferences(builder: PlanBuilder, { body, end }: Box): void {
  for (const entry of boxesIn(builder, { from: body + 8, to: end })) {
    if (entry.body + 4 > entry.end) throw new LayoutError("A reference is too short.");
    if ((builder.read(entry.body + 3, 1)[0]! & 1) === 1) builder.clear(entry.body + 4, entry.end);
  }
}

/**
 * The boxes that lie side by side. At the top level the last one may have no length, and `mdat` may be cut off;
 * every other box has to end within its parent. Fewer than eight bytes at the end of a parent are padding.
 */
function* boxesIn(
  builder: PlanBuilder,
  { from, to }: { from: number; to: number },
  isTop = false,
): Generator<Box> {
  let start = from;
  while (to - start >= 8) {
    builder.countPart();
    const header = builder.read(start, 8);
    const type = header.toString("latin1", 4, 8);
    const short = header.readUInt32BE(0);
    const isLong = short === 1;
    const body = start + (isLong ? 16 : 8);
    if (body > to) throw new LayoutError("A box ends behind its parent.");
    const size = isLong
      ? Number(builder.read(start + 8, 8).readBigUInt64BE(0))
      : short === 0 && isTop
        ? to - start
        : short;
    if (start + size < body) throw new LayoutError("A box is shorter than its header.");
    const isCut = start + size > to;
    if (isCut && !(isTop && type === "mdat"))
      throw new LayoutError("A box ends behind its parent.");
    const end = Math.min(start + size, to);
    yield { type, start, body, end };
    start = end;
  }
  if (start > to) throw new LayoutError("A box ends behind its parent.");
  if (start < to) builder.clear(start, to);
}
