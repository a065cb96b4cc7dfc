import fs from "node:fs";

/** Edits the boxes of small MP4 files in which the `moov` box comes after the media data (ISO/IEC 14496-12). */

const PARENTS = ["moov", "trak", "edts", "mdia", "minf", "stbl"];

interface Box {
  type: string;
  /** Everything after the header. It is empty if the box has children. */
  body: Buffer;
  children?: Box[];
}

function parse(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let start = 0; start < bytes.length; ) {
    const size = bytes.readUInt32BE(start);
    const type = bytes.toString("latin1", start + 4, start + 8);
    const body = bytes.subarray(start + 8, start + size);
    boxes.push(
      PARENTS.includes(type)
        ? { type, body: Buffer.alloc(0), children: parse(body) }
        : { type, body: Buffer.from(body) },
    );
    start += size;
  }
  return boxes;
}

function write(boxes: readonly Box[]): Buffer {
  return Buffer.concat(
    boxes.flatMap(({ type, body, children }) => {
      const content = children ? write(children) : body;
      const header = Buffer.alloc(8);
      header.writeUInt32BE(content.length + 8);
      header.write(type, 4, "latin1");
      return [header, content];
    }),
  );
}

function find(boxes: readonly Box[], ...path: string[]): Box {
  let found: Box | undefined;
  let inside: readonly Box[] | undefined = boxes;
  for (const type of path) {
    found = inside?.find((box) => box.type === type);
    inside = found?.children;
  }
  if (!found) throw new Error(`${path.join("/")} is missing.`);
  return found;
}

const trackOf = (boxes: readonly Box[], handler: string): Box => {
  const track = find(boxes, "moov").children!.find(
    (box) =>
      box.type === "trak" &&
      find(box.children!, "mdia", "hdlr").body.toString("latin1", 8, 12) === handler,
  );
  if (!track) throw new Error(`The file has no ${handler} track.`);
  return track;
};

export interface Edit {
  /** Seconds. */
  duration: number;
  /** The start time in the media, in seconds. It is -1 for an empty edit. */
  from: number;
}

/** Sets the edit list of all tracks in a file, or only of the track with this handler. */
export function setEdits(file: string, edits: readonly Edit[], handler?: "vide" | "soun"): void {
  const boxes = parse(fs.readFileSync(file));
  const movie = find(boxes, "moov", "mvhd").body;
  const movieScale = movie.readUInt32BE(12);
  const total = edits.reduce((sum, { duration }) => sum + duration, 0);
  const duration = Math.max(handler ? movie.readUInt32BE(16) : 0, Math.round(total * movieScale));
  movie.writeUInt32BE(duration, 16);
  const tracks = find(boxes, "moov").children!.filter(({ type }) => type === "trak");
  for (const track of handler ? [trackOf(boxes, handler)] : tracks) {
    const children = track.children!;
    const mediaScale = find(children, "mdia", "mdhd").body.readUInt32BE(12);
    const before = children.find(({ type }) => type === "edts")?.children?.[0]?.body;
    // The start time isn't 0 for AAC or for video from encoders that reorder frames.
    const start = before ? before.readInt32BE(12) : 0;
    find(children, "tkhd").body.writeUInt32BE(Math.round(total * movieScale), 20);
    const list = Buffer.alloc(8 + 12 * edits.length);
    list.writeUInt32BE(edits.length, 4);
    for (const [index, { duration, from }] of edits.entries()) {
      const at = 8 + 12 * index;
      list.writeUInt32BE(Math.round(duration * movieScale), at);
      list.writeInt32BE(from < 0 ? -1 : start + Math.round(from * mediaScale), at + 4);
      list.writeUInt32BE(0x10000, at + 8);
    }
    const edts = { type: "edts", body: Buffer.alloc(0), children: [{ type: "elst", body: list }] };
    const others = children.filter(({ type }) => type !== "edts");
    track.children = [others[0]!, edts, ...others.slice(1)];
  }
  fs.writeFileSync(file, write(boxes));
}

/**
 * Appends one silent video to another without re-encoding either of them, as apps that join clips do. The result has
 * one track with two sample descriptions (§8.5.2). Both files must have their frames in display order.
 */
export function appendVideo(file: string, appended: string): void {
  const boxes = parse(fs.readFileSync(file));
  const others = parse(fs.readFileSync(appended));
  const table = (all: Box[], type: string) =>
    find(trackOf(all, "vide").children!, "mdia", "minf", "stbl", type).body;
  const counted = (type: string) => table(boxes, type).readUInt32BE(4);
  const join = (type: string, fixed: number, change: (entries: Buffer) => void = () => {}) => {
    const [first, second] = [table(boxes, type), table(others, type)];
    const entries = Buffer.from(second.subarray(fixed));
    change(entries);
    const joined = Buffer.concat([first, entries]);
    const countAt = fixed - 4;
    joined.writeUInt32BE(first.readUInt32BE(countAt) + second.readUInt32BE(countAt), countAt);
    find(trackOf(boxes, "vide").children!, "mdia", "minf", "stbl", type).body = joined;
  };
  const addTo = (entries: Buffer, offset: number, step: number, value: number) => {
    for (let at = offset; at < entries.length; at += step) {
      entries.writeUInt32BE(entries.readUInt32BE(at) + value, at);
    }
  };
  const media = boxes.find(({ type }) => type === "mdat")!;
  const otherMedia = others.find(({ type }) => type === "mdat")!;
  const startOf = (all: Box[]) =>
    8 +
    write(
      all.slice(
        0,
        all.findIndex(({ type }) => type === "mdat"),
      ),
    ).length;
  const moved = startOf(boxes) + media.body.length - startOf(others);
  const [chunks, samples] = [counted("stco"), table(boxes, "stsz").readUInt32BE(8)];
  join("stsd", 8);
  join("stts", 8);
  join("stsz", 12);
  join("stss", 8, (entries) => addTo(entries, 0, 4, samples));
  join("stco", 8, (entries) => addTo(entries, 0, 4, moved));
  join("stsc", 8, (entries) => {
    addTo(entries, 0, 12, chunks);
    addTo(entries, 8, 12, 1);
  });
  media.body = Buffer.concat([media.body, otherMedia.body]);
  const addDuration = (...at: [box: Box, other: Box, offset: number]) => {
    const [box, other, offset] = at;
    const sum = box.body.readUInt32BE(offset) + other.body.readUInt32BE(offset);
    box.body.writeUInt32BE(sum, offset);
  };
  const both = (...path: string[]): [Box, Box] => [
    find(trackOf(boxes, "vide").children!, ...path),
    find(trackOf(others, "vide").children!, ...path),
  ];
  addDuration(find(boxes, "moov", "mvhd"), find(others, "moov", "mvhd"), 16);
  addDuration(...both("tkhd"), 20);
  addDuration(...both("mdia", "mdhd"), 16);
  addDuration(...both("edts", "elst"), 8);
  fs.writeFileSync(file, write(boxes));
}

/** Changes a chunk offset in the middle of the video track so that it points far beyond the end of the file. */
export function breakChunkOffset(file: string): void {
  const boxes = parse(fs.readFileSync(file));
  const { body } = find(trackOf(boxes, "vide").children!, "mdia", "minf", "stbl", "stco");
  body.writeUInt32BE(0x7f000000, 8 + 4 * Math.floor(body.readUInt32BE(4) / 2));
  fs.writeFileSync(file, write(boxes));
}

/** Overwrites bytes in the middle of the media data. */
export function damageMedia(file: string): void {
  const bytes = fs.readFileSync(file);
  const start = bytes.indexOf("mdat", 0, "latin1") + 4;
  const size = bytes.readUInt32BE(start - 8) - 8;
  bytes.fill(0xff, start + Math.floor(size / 2), start + Math.floor(size / 2) + 400);
  fs.writeFileSync(file, bytes);
}
