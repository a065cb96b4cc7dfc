import { type FileHandle, open } from "node:fs/promises";
import { type BoxHeader, boxHeaders } from "../probe/box-headers.server";

/** A fragment of an MP4 file (ISO/IEC 14496-12, CMAF) with one track, as written by ffmpeg. */
interface Fragment {
  offset: number;
  bytes: number;
  /** The number of bytes up to the end of the first sample. In a video track, that sample is a keyframe. */
  keyframeBytes: number;
  /** The decode time of the first sample and the total duration of all samples, in seconds. */
  start: number;
  duration: number;
}

export interface FragmentedFile {
  /** The size of the header that players need before any fragment. */
  headerBytes: number;
  fragments: Fragment[];
  /** The codec string (RFC 6381), such as `avc1.64001f` or `mp4a.40.2`. */
  codec: string;
}

/** Reads the positions and durations of the fragments. If ffmpeg received no samples, there are no fragments. */
export async function readFragments(path: string): Promise<FragmentedFile> {
  return fragmentReader(path)();
}

/**
 * Returns a reader for a file that is being written. Each call returns all fragments that are complete so far, but
 * reads only what was added since the last call.
 */
export function fragmentReader(path: string): () => Promise<FragmentedFile> {
  const found: FragmentedFile = { headerBytes: 0, fragments: [], codec: "" };
  let timescale: number | undefined;
  let end = 0;

  return async () => {
    const file = await open(path, "r");
    try {
      const boxes = await boxesOf(file, end, (await file.stat()).size);
      for (const [index, box] of boxes.entries()) {
        const data = boxes[index + 1];
        if (box.type === "moov" && box.isWhole) {
          const track = await readTrack(file, box);
          timescale = track.timescale;
          found.codec = track.codec;
        }
        if (box.type !== "moof") {
          if (box.isWhole) end = box.end;
          continue;
        }
        if (data?.type !== "mdat" || !data.isWhole || timescale === undefined) break;
        end = data.end;
        found.headerBytes ||= box.start;
        const run = readRuns(await read(file, box));
        if (run.duration === 0) continue;
        found.fragments.push({
          offset: box.start,
          bytes: data.end - box.start,
          keyframeBytes: run.firstSampleEnd,
          start: run.decodeTime / timescale,
          duration: run.duration / timescale,
        });
      }
      return found;
    } finally {
      await file.close();
    }
  };
}

/**
 * The maximum size of a box that is read into memory. Boxes for two seconds at 120 frames per second are a hundred
 * times smaller.
 */
const MAX_BOX_BYTES = 1024 ** 2;
const MAX_SAMPLES = 100_000;

/**
 * Returns the box headers within a range. Use it only for files written by our own ffmpeg, possibly on another machine
 * (docs/how-to/workers.md), because the number of boxes isn't limited.
 */
async function boxesOf(file: FileHandle, from: number, to: number): Promise<BoxHeader[]> {
  const list: BoxHeader[] = [];
  for await (const box of boxHeaders(file, from, to)) list.push(box);
  return list;
}

async function read(file: FileHandle, { start, end }: Pick<BoxHeader, "start" | "end">) {
  if (end - start > MAX_BOX_BYTES) throw new RangeError("A box is larger than expected.");
  const buffer = Buffer.alloc(end - start);
  await file.read(buffer, 0, buffer.length, start);
  return buffer;
}

async function readTrack(file: FileHandle, moov: BoxHeader) {
  const inside = async (box: BoxHeader, type: string) => {
    const found = (await boxesOf(file, box.body, box.end)).find((each) => each.type === type);
    if (!found) throw new Error(`The box ${type} is missing.`);
    return found;
  };
  const mdia = await inside(await inside(moov, "trak"), "mdia");
  const mdhd = await read(file, await inside(mdia, "mdhd"));
  const stsd = await inside(await inside(await inside(mdia, "minf"), "stbl"), "stsd");
  return {
    timescale: mdhd.readUInt32BE(mdhd[8] === 1 ? 28 : 20),
    codec: codecOf(await read(file, stsd)),
  };
}

/**
 * Returns the codec string (RFC 6381 §3.3): for H.264, profile, constraints and level from `avcC`; for AV1 and HEVC,
 * their equivalents; for audio, the type of the sample entry. AAC here is always AAC-LC.
 */
function codecOf(stsd: Buffer): string {
  const entry = stsd.toString("latin1", 20, 24);
  if (entry === "mp4a") return "mp4a.40.2";
  if (entry === "av01") return av1Name(boxBody(stsd, "av1C"));
  if (entry === "hvc1") return hevcName(boxBody(stsd, "hvcC"));
  if (entry !== "avc1") return entry;
  const avcC = stsd.indexOf("avcC", 0, "latin1");
  return `avc1.${stsd.toString("hex", avcC + 5, avcC + 8)}`;
}

function boxBody(stsd: Buffer, type: string): Buffer {
  return stsd.subarray(stsd.indexOf(type, 0, "latin1") + 4);
}

/** Yields the boxes within a range of a buffer. */
function* within(buffer: Buffer, from: number, to: number) {
  for (let at = from; at + 8 <= to; ) {
    const size = buffer.readUInt32BE(at);
    if (size < 8) return;
    yield { type: buffer.toString("latin1", at + 4, at + 8), body: at + 8, end: at + size };
    at += size;
  }
}

/** Returns the decode time and duration of the samples in a `moof`, in ticks, and the end of the first sample. */
function readRuns(moof: Buffer) {
  let defaults = { duration: 0, size: 0 };
  let decodeTime = 0;
  let duration = 0;
  let firstSampleEnd = 0;
  let samples = 0;
  for (const traf of within(moof, 8, moof.length)) {
    if (traf.type !== "traf") continue;
    for (const box of within(moof, traf.body, traf.end)) {
      if (box.type === "tfhd") defaults = readDefaults(moof, box.body);
      else if (box.type === "tfdt") {
        const wide = moof[box.body] === 1;
        decodeTime = wide
          ? Number(moof.readBigUInt64BE(box.body + 4))
          : moof.readUInt32BE(box.body + 4);
      } else if (box.type === "trun") {
        samples += moof.readUInt32BE(box.body + 4);
        if (samples > MAX_SAMPLES) throw new RangeError("A fragment has too many samples.");
        const run = readRun(moof, box.body, defaults);
        duration += run.duration;
        firstSampleEnd ||= run.firstSampleEnd;
      }
    }
  }
  return { decodeTime, duration, firstSampleEnd };
}

interface SampleDefaults {
  duration: number;
  size: number;
}

/** Reads a `tfhd` (§8.8.7). Its flags determine which optional fields precede the defaults. */
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

/** Reads a `trun` (§8.8.8): the total duration, and the end of the first sample relative to the `moof`. */
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

/**
 * Returns the codec string for AV1 from `av1C`: profile, level, tier and bit depth (AV1 Codec ISO Media File Format
 * Binding, "Codecs Parameter String").
 *
 * @example av1Name(av1C) // "av01.0.05M.08"
 */
export function av1Name(av1C: Uint8Array): string {
  const [, first = 0, second = 0] = av1C;
  const level = String(first & 0x1f).padStart(2, "0");
  const tier = second & 0x80 ? "H" : "M";
  const isHighDepth = (second & 0x40) !== 0;
  const depth = isHighDepth ? (second & 0x20 ? 12 : 10) : 8;
  return `av01.${first >> 5}.${level}${tier}.${String(depth).padStart(2, "0")}`;
}

/**
 * Returns the codec string for HEVC from `hvcC` (ISO/IEC 14496-15, annex E.3): profile, compatibility flags (bits
 * reversed), tier, level, and constraints without trailing zeros.
 *
 * @example hevcName(hvcC) // "hvc1.1.6.L93.90"
 */
export function hevcName(hvcC: Uint8Array): string {
  const [, general = 0] = hvcC;
  const space = ["", "A", "B", "C"][general >> 6];
  let compatibility = 0;
  for (let bit = 0; bit < 32; bit++) {
    if (hvcC[2 + (bit >> 3)]! & (0x80 >> (bit & 7))) compatibility += 2 ** bit;
  }
  const constraints = [...hvcC.subarray(6, 12)];
  while (constraints.at(-1) === 0) constraints.pop();
  return [
    `hvc1.${space}${general & 0x1f}`,
    compatibility.toString(16).toUpperCase(),
    `${general & 0x20 ? "H" : "L"}${hvcC[12]}`,
    ...constraints.map((byte) => byte.toString(16).toUpperCase()),
  ].join(".");
}
