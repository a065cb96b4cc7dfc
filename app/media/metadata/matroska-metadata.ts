import { LayoutError, type Plan, type PlanBuilder } from "./plan";

/**
 * The metadata of Matroska and WebM (RFC 9559; EBML, RFC 8794). What isn't needed for playing becomes `Void`,
 * filled with zeros, so that all else stays where the index says.
 */

interface Element {
  id: number;
  start: number;
  body: number;
  end: number;
}

const ID = {
  header: 0x1a45dfa3,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  seek: 0x4dbb,
  seekId: 0x53ab,
  info: 0x1549a966,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackType: 0x83,
  cluster: 0x1f43b675,
  cues: 0x1c53bb6b,
  void: 0xec,
  checksum: 0xbf,
} as const;

/** Children of Info that players need. */
const KEPT_IN_INFO = new Set([0x2ad7b1, 0x4489]);
/** Names that a file has to have; they become empty. */
const EMPTIED_IN_INFO = new Set([0x4d80, 0x5741]);
/**
 * Of a track, what tells of its maker: Name, CodecName, CodecSettings, and where the codec is from. Void may hold
 * what was there before, and a checksum is wrong then.
 */
const REMOVED_IN_TRACK = new Set<number>([
  ...[0x536e, 0x258688, 0x3a9697, 0x3b4040, 0x26b240, 0x7446],
  ...[ID.void, ID.checksum],
]);
const KEPT_IN_SEGMENT = new Set<number>([ID.seekHead, ID.info, ID.tracks, ID.cluster, ID.cues]);
/** Types of tracks that are played: video, audio and subtitles. */
const PLAYED = new Set([1, 2, 17]);

/** @throws {LayoutError} for a layout that is not rewritten in place. */
export function planMatroska(builder: PlanBuilder): Plan {
  const { size } = builder.file;
  const top = [...elementsIn(builder, 0, size, true)];
  const segments = top.filter(({ id }) => id === ID.segment);
  if (top[0]?.id !== ID.header || segments.length !== 1)
    throw new LayoutError("It has no segment.");
  for (const element of top) {
    if (element.id === ID.segment) cleanSegment(builder, element);
    else if (element.id !== ID.header) makeVoid(builder, element);
  }
  return builder.plan();
}

function cleanSegment(builder: PlanBuilder, segment: Element): void {
  let hasTracks = false;
  for (const element of elementsIn(builder, segment.body, segment.end, false)) {
    if (element.id === ID.cluster) builder.media.push({ from: element.body, to: element.end });
    else if (!KEPT_IN_SEGMENT.has(element.id)) makeVoid(builder, element);
    else if (element.id === ID.seekHead) cleanSeekHead(builder, element);
    else if (element.id === ID.info) cleanInfo(builder, element);
    else if (element.id === ID.tracks) {
      hasTracks = true;
      cleanTracks(builder, element);
    }
  }
  if (!hasTracks) throw new LayoutError("It has no tracks.");
}

/** Where the other parts are; those that are removed are in no list any more. */
function cleanSeekHead(builder: PlanBuilder, seekHead: Element): void {
  for (const seek of elementsIn(builder, seekHead.body, seekHead.end)) {
    if (seek.id !== ID.seek) {
      makeVoid(builder, seek);
      continue;
    }
    const target = [...elementsIn(builder, seek.body, seek.end)].find(({ id }) => id === ID.seekId);
    const length = target ? target.end - target.body : 0;
    const isId = length > 0 && length <= 4;
    const id = isId ? builder.read(target!.body, length).readUIntBE(0, length) : 0;
    if (!KEPT_IN_SEGMENT.has(id)) makeVoid(builder, seek);
  }
}

function cleanInfo(builder: PlanBuilder, info: Element): void {
  for (const element of elementsIn(builder, info.body, info.end)) {
    if (EMPTIED_IN_INFO.has(element.id)) builder.clear(element.body, element.end);
    else if (!KEPT_IN_INFO.has(element.id)) makeVoid(builder, element);
  }
}

function cleanTracks(builder: PlanBuilder, tracks: Element): void {
  for (const entry of elementsIn(builder, tracks.body, tracks.end)) {
    if (entry.id !== ID.trackEntry) {
      makeVoid(builder, entry);
      continue;
    }
    const fields = [...elementsIn(builder, entry.body, entry.end)];
    const type = fields.find(({ id }) => id === ID.trackType);
    const kind = type && type.end - type.body === 1 ? builder.read(type.body, 1)[0]! : 0;
    if (!PLAYED.has(kind)) throw new LayoutError(`It has a track of the kind ${kind}.`);
    for (const field of fields) {
      if (REMOVED_IN_TRACK.has(field.id)) makeVoid(builder, field);
    }
  }
}

/** Void elements (RFC 8794 §11.3.2) of one byte for the id, and one or eight for the length. */
function makeVoid(builder: PlanBuilder, { start, body, end }: Element): void {
  const total = end - start;
  if (total < 2) throw new LayoutError("An element is too short.");
  if (builder.read(start, 1)[0] === ID.void) {
    builder.clear(body, end);
    return;
  }
  const lengthBytes = total < 10 ? 1 : 8;
  const header = Buffer.alloc(1 + lengthBytes);
  header[0] = ID.void;
  const length = total - header.length;
  if (lengthBytes === 1) header[1] = 0x80 | length;
  else header.writeBigUInt64BE((1n << 56n) | BigInt(length), 1);
  builder.write(start, header);
  builder.clear(start + header.length, end);
}

/**
 * The elements that lie side by side. Of those without a length only a segment is read, which reaches to the end
 * of the file: another one is a recording as it was streamed.
 */
function* elementsIn(
  builder: PlanBuilder,
  from: number,
  to: number,
  isTop = false,
): Generator<Element> {
  let start = from;
  while (start < to) {
    builder.countPart();
    const id = readId(builder, start);
    const length = readLength(builder, start + id.bytes);
    const body = start + id.bytes + length.bytes;
    const isSegment = isTop && id.value === ID.segment;
    if (length.value === undefined && !isSegment) {
      throw new LayoutError("A part of it has no length.");
    }
    const end = length.value === undefined ? to : body + length.value;
    // What was cut off while it was written or sent ends in the middle of a cluster.
    const mayBeCut = isSegment || (id.value === ID.cluster && to === builder.file.size);
    if (end > to && !mayBeCut) throw new LayoutError("A part ends behind its parent.");
    yield { id: id.value, start, body: Math.min(body, to), end: Math.min(end, to) };
    start = end;
  }
}

/** The number of bytes is that of the leading zeros of the first, and one. */
function widthOf(first: number): number {
  return Math.clz32(first) - 23;
}

function readId(builder: PlanBuilder, at: number): { value: number; bytes: number } {
  const bytes = widthOf(builder.read(at, 1)[0]!);
  if (bytes > 4) throw new LayoutError("An id is too long.");
  return { value: builder.read(at, bytes).readUIntBE(0, bytes), bytes };
}

/** Undefined where all bits of the length are set: unknown (RFC 8794 §6.2). */
function readLength(
  builder: PlanBuilder,
  at: number,
): { value: number | undefined; bytes: number } {
  const bytes = widthOf(builder.read(at, 1)[0]!);
  if (bytes > 8) throw new LayoutError("A length is too long.");
  const read = builder.read(at, bytes);
  const field = read.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const mask = (1n << BigInt(7 * bytes)) - 1n;
  const value = field & mask;
  if (value === mask) return { value: undefined, bytes };
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new LayoutError("A length is too long.");
  return { value: Number(value), bytes };
}
