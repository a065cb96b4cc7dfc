import { type FileHandle, open } from "node:fs/promises";
import { type BoxHeader, boxHeaders } from "./box-headers.server";

/** Fragmented MP4 (ISO/IEC 14496-12, CMAF) as ffmpeg writes it, one keyframe to a fragment. */

export interface Fragment {
  offset: number;
  bytes: number;
  /** From its beginning to the end of its first picture, a keyframe. */
  keyframeBytes: number;
  /** Seconds at which its first picture is decoded, and for how long its pictures last. */
  start: number;
  duration: number;
}

export interface FragmentedFile {
  /** Bytes from the beginning that a player needs before any fragment. */
  headerBytes: number;
  fragments: Fragment[];
  /** RFC 6381, such as `avc1.64001f,mp4a.40.2`. */
  codecs: string;
}

interface Track {
  id: number;
  isVideo: boolean;
  timescale: number;
  codec: string;
}

/** Reads where the fragments lie and how long they are. */
export async function readFragments(path: string): Promise<FragmentedFile> {
  const file = await open(path, "r");
  try {
    const top = await boxesOf(file, 0, (await file.stat()).size);
    const moov = top.find((box) => box.type === "moov");
    const first = top.find((box) => box.type === "moof");
    if (!moov || !first) throw new Error("ffmpeg wrote no fragments.");
    const tracks = await readTracks(file, moov);
    const video = tracks.find((track) => track.isVideo);
    if (!video) throw new Error("ffmpeg wrote no pictures.");
    const fragments: Fragment[] = [];
    for (const [index, box] of top.entries()) {
      const data = top[index + 1];
      if (box.type !== "moof" || data?.type !== "mdat") continue;
      const moof = await read(file, box);
      const run = pictureRun(moof, video.id);
      // What comes after the last picture is sound alone; it stays with the last fragment.
      if (!run) {
        const last = fragments.at(-1);
        if (last) last.bytes = data.end - last.offset;
        continue;
      }
      fragments.push({
        offset: box.start,
        bytes: data.end - box.start,
        keyframeBytes: run.firstPictureEnd,
        start: run.decodeTime / video.timescale,
        duration: run.duration / video.timescale,
      });
    }
    const codecs = tracks.map((track) => track.codec).join(",");
    return { headerBytes: first.start, fragments, codecs };
  } finally {
    await file.close();
  }
}

/** Of a file that our own ffmpeg has written; a stranger's is never read like this. */
async function boxesOf(file: FileHandle, from: number, to: number): Promise<BoxHeader[]> {
  const list: BoxHeader[] = [];
  for await (const box of boxHeaders(file, from, to)) list.push(box);
  return list;
}

async function read(file: FileHandle, { start, end }: Pick<BoxHeader, "start" | "end">) {
  const buffer = Buffer.alloc(end - start);
  await file.read(buffer, 0, buffer.length, start);
  return buffer;
}

async function readTracks(file: FileHandle, moov: BoxHeader): Promise<Track[]> {
  const tracks: Track[] = [];
  for (const trak of await boxesOf(file, moov.body, moov.end)) {
    if (trak.type !== "trak") continue;
    const parts = await boxesOf(file, trak.body, trak.end);
    const mdia = parts.find((box) => box.type === "mdia")!;
    const inside = await boxesOf(file, mdia.body, mdia.end);
    const buffer = async (type: string, among: BoxHeader[]) =>
      read(file, among.find((box) => box.type === type)!);
    const tkhd = await buffer("tkhd", parts);
    const mdhd = await buffer("mdhd", inside);
    const hdlr = await buffer("hdlr", inside);
    const isVideo = hdlr.toString("latin1", 16, 20) === "vide";
    tracks.push({
      id: tkhd.readUInt32BE(tkhd[8] === 1 ? 28 : 20),
      isVideo,
      timescale: mdhd.readUInt32BE(mdhd[8] === 1 ? 28 : 20),
      codec: codecOf(await buffer("minf", inside), isVideo),
    });
  }
  return tracks;
}

/** RFC 6381 §3.3: profile, constraints and level stand in `avcC`; the sound is always AAC LC. */
function codecOf(minf: Buffer, isVideo: boolean): string {
  if (!isVideo) return "mp4a.40.2";
  const avcC = minf.indexOf("avcC", 0, "latin1");
  return `avc1.${minf.toString("hex", avcC + 5, avcC + 8)}`;
}

/** The boxes of a buffer that lie between two of its bytes. */
function* within(buffer: Buffer, from: number, to: number) {
  for (let at = from; at + 8 <= to; ) {
    const size = buffer.readUInt32BE(at);
    if (size < 8) return;
    yield { type: buffer.toString("latin1", at + 4, at + 8), body: at + 8, end: at + size };
    at += size;
  }
}

/** When the pictures in a `moof` begin and how long they last, in ticks; undefined when it holds none. */
function pictureRun(moof: Buffer, trackId: number) {
  for (const traf of within(moof, 8, moof.length)) {
    if (traf.type !== "traf") continue;
    let defaults = { duration: 0, size: 0 };
    let ours = false;
    let decodeTime = 0;
    let duration = 0;
    let firstPictureEnd = 0;
    for (const box of within(moof, traf.body, traf.end)) {
      if (box.type === "tfhd") {
        ours = moof.readUInt32BE(box.body + 4) === trackId;
        defaults = readDefaults(moof, box.body);
      } else if (box.type === "tfdt") {
        const wide = moof[box.body] === 1;
        decodeTime = wide
          ? Number(moof.readBigUInt64BE(box.body + 4))
          : moof.readUInt32BE(box.body + 4);
      } else if (box.type === "trun" && ours) {
        const run = readRun(moof, box.body, defaults);
        duration += run.duration;
        firstPictureEnd ||= run.firstSampleEnd;
      }
    }
    if (ours && duration > 0) return { decodeTime, duration, firstPictureEnd };
  }
  return undefined;
}

interface SampleDefaults {
  duration: number;
  size: number;
}

/** §8.8.7: which optional fields come before the defaults is told by the flags. */
function readDefaults(moof: Buffer, body: number): SampleDefaults {
  const flags = moof.readUInt32BE(body) & 0xffffff;
  let at = body + 8 + (flags & 0x01 ? 8 : 0) + (flags & 0x02 ? 4 : 0);
  const next = (flag: number) => {
    if (!(flags & flag)) return 0;
    at += 4;
    return moof.readUInt32BE(at - 4);
  };
  return { duration: next(0x08), size: next(0x10) };
}

/** §8.8.8: the durations of a run, added up, and where its first sample ends, from the `moof` on. */
function readRun(moof: Buffer, body: number, defaults: SampleDefaults) {
  const flags = moof.readUInt32BE(body) & 0xffffff;
  const samples = moof.readUInt32BE(body + 4);
  const data = flags & 0x01 ? moof.readInt32BE(body + 8) : 0;
  const first = body + 8 + (flags & 0x01 ? 4 : 0) + (flags & 0x04 ? 4 : 0);
  const bytes = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length * 4;
  let duration = 0;
  for (let sample = 0; sample < samples; sample++) {
    duration += flags & 0x100 ? moof.readUInt32BE(first + sample * bytes) : defaults.duration;
  }
  const size = flags & 0x200 ? moof.readUInt32BE(first + (flags & 0x100 ? 4 : 0)) : defaults.size;
  return { duration, firstSampleEnd: data + size };
}
