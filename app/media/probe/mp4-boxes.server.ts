import { type InputFile, openInput } from "../storage/ranged-input.server";
import { type BoxHeader, boxHeaders, FIRST_BOXES } from "./box-headers.server";

/** The maximum number of box headers read per file. A camera's video has about a hundred. */
const MAX_HEADERS = 2_000;
/** The maximum number of sample entries that are read. A track has one to three. */
const MAX_ENTRIES = 16;

/**
 * The types of encrypted sample entries: ISO/IEC 14496-12 §8.12 (Common Encryption, ISO/IEC 23001-7, any scheme), and
 * `drmi` and `drms`, which older FairPlay files use.
 */
const ENCRYPTED = new Set(["encv", "enca", "drmi", "drms"]);

/** The boxes whose children are read (ISO/IEC 14496-12 §6), because they lead to `hdlr`, `elst` and `stsd`. */
const PARENTS = new Set(["edts", "mdia", "minf", "stbl"]);
/** The offset of the entries in `stsd`, after the version, flags and count (§8.5.2). */
const ENTRIES_AFTER = 8;
/** The maximum number of bytes read from an edit list, which is enough for a thousand edits. */
const MAX_EDIT_BYTES = 8 + 1_000 * 20;
/** The handler types (§8.4.3) of tracks that are converted. Timecode and metadata tracks aren't. */
const CONVERTED = new Set(["vide", "soun"]);

/** The layout of an MP4 or MOV according to its box headers. */
export interface Mp4Layout {
  /** The state of `moov`, the index of samples. */
  index: "complete" | "truncated" | "missing";
  /** Whether the index precedes the media data. */
  isIndexFirst: boolean;
  /** Whether the file has fragments (`moof`). */
  isFragmented: boolean;
  /** Whether neither the index nor the media data is truncated. */
  isWhole: boolean;
  /**
   * Whether video or audio is encrypted. ffprobe doesn't report the encryption, only the codec of the encrypted stream.
   */
  isEncrypted: boolean;
  /**
   * Whether `ffmpeg -c copy` preserves which frames are shown and when. It doesn't if a video or audio track has
   * several edits (see `isOneEdit`) or several sample descriptions, because the copy keeps only the first description.
   */
  isCopyable: boolean;
  /** Whether the edits are shorter than the video track, so that frames outside the edits must not be shown. */
  isTrimmed: boolean;
  /** The total duration of the edits in the longest video track, in seconds; omitted if there are no edits. */
  editedSeconds?: number;
}

/**
 * Returns the layout of an MP4 or MOV; undefined for any other file. Reads at most 2,000 box headers of 16 bytes, and
 * the fields and edit lists that determine whether a copy plays the same as the original. A file with more boxes isn't
 * rejected, but its streams aren't copied either.
 */
export async function readMp4Layout(file: string): Promise<Mp4Layout | undefined> {
  const input = await openInput(file);
  try {
    const budget = { left: MAX_HEADERS };
    const layout: Mp4Layout = {
      index: "missing",
      isIndexFirst: false,
      isFragmented: false,
      isWhole: true,
      isEncrypted: false,
      isCopyable: true,
      isTrimmed: false,
    };
    let isFirst = true;
    let hasMedia = false;
    for await (const box of limited(input, 0, input.size, budget)) {
      if (isFirst && !FIRST_BOXES.has(box.type)) return undefined;
      isFirst = false;
      if (box.type === "moov") {
        layout.index = box.isWhole ? "complete" : "truncated";
        layout.isIndexFirst = !hasMedia;
        for (const track of await readTracks(input, box, budget)) addTrack(layout, track);
      }
      hasMedia ||= box.type === "mdat";
      if (box.type === "moov" || box.type === "mdat") layout.isWhole &&= box.isWhole;
      layout.isFragmented = box.type === "moof";
      if (layout.isFragmented) break;
    }
    if (isFirst) return undefined;
    // The boxes that weren't read may contain anything.
    return budget.left < 0 ? { ...layout, index: "complete", isCopyable: false } : layout;
  } finally {
    await input.close();
  }
}

interface Track {
  handler: string;
  isEncrypted: boolean;
  sampleDescriptions: number;
  isOneEdit: boolean;
  /** Seconds. */
  mediaDuration: number;
  edited?: number;
}

/** The tolerance is less than a frame's duration, but more than the rounding error between two timescales. */
const TRIM_TOLERANCE_SECONDS = 0.005;

function addTrack(layout: Mp4Layout, track: Track): void {
  layout.isEncrypted ||= track.isEncrypted;
  if (!CONVERTED.has(track.handler)) return;
  layout.isCopyable &&= track.sampleDescriptions <= 1 && track.isOneEdit;
  if (track.handler !== "vide" || track.edited === undefined) return;
  layout.isTrimmed ||= track.edited < track.mediaDuration - TRIM_TOLERANCE_SECONDS;
  layout.editedSeconds = Math.max(layout.editedSeconds ?? 0, track.edited);
}

async function readTracks(
  input: InputFile,
  movie: BoxHeader,
  budget: { left: number },
): Promise<Track[]> {
  const tracks: Track[] = [];
  let timescale = 0;
  for await (const box of limited(input, movie.body, movie.end, budget)) {
    if (box.type === "mvhd") ({ timescale } = readTimes(await read(input, box, 32)));
    if (box.type !== "trak") continue;
    const track = {
      ...{ handler: "", isEncrypted: false, sampleDescriptions: 0 },
      ...{ isOneEdit: true, mediaDuration: 0 },
    };
    await readTrack(input, box, track, timescale, budget);
    tracks.push(track);
  }
  return tracks;
}

async function readTrack(
  input: InputFile,
  parent: BoxHeader,
  track: Track,
  timescale: number,
  budget: { left: number },
): Promise<void> {
  for await (const box of limited(input, parent.body, parent.end, budget)) {
    if (PARENTS.has(box.type)) await readTrack(input, box, track, timescale, budget);
    else if (box.type === "mdhd") {
      const media = readTimes(await read(input, box, 32));
      track.mediaDuration = media.duration / media.timescale;
    }
    // In QuickTime, `minf` contains another `hdlr`, for the data reference.
    else if (box.type === "hdlr")
      track.handler ||= (await read(input, box, 12)).toString("latin1", 8);
    else if (box.type === "elst") {
      const list = await read(input, box, MAX_EDIT_BYTES);
      track.isOneEdit &&= isOneEdit(list);
      track.edited = (track.edited ?? 0) + editUnits(list) / timescale;
    } else if (box.type === "stsd") {
      track.sampleDescriptions += (await read(input, box, 8)).readUInt32BE(4);
      const entries = { left: Math.min(MAX_ENTRIES, budget.left) };
      for await (const { type } of limited(input, box.body + ENTRIES_AFTER, box.end, entries)) {
        track.isEncrypted ||= ENCRYPTED.has(type);
      }
    }
  }
}

/** Reads `mvhd` (§8.2.2) or `mdhd` (§8.4.2). Version 1 has 64-bit times. */
function readTimes(header: Buffer): { timescale: number; duration: number } {
  return header[0] === 1
    ? { timescale: header.readUInt32BE(20), duration: Number(header.readBigUInt64BE(24)) }
    : { timescale: header.readUInt32BE(12), duration: header.readUInt32BE(16) };
}

/** Returns the sum of the edits' durations; infinite if there are more edits than were read. */
function editUnits(list: Buffer): number {
  const step = list[0] === 1 ? 20 : 12;
  const count = list.readUInt32BE(4);
  if (8 + count * step > list.length) return Number.POSITIVE_INFINITY;
  return Array.from({ length: count }, (_, index) => 8 + step * index)
    .map((at) => (list[0] === 1 ? Number(list.readBigUInt64BE(at)) : list.readUInt32BE(at)))
    .reduce((sum, units) => sum + units, 0);
}

/**
 * Whether an `elst` (§8.6.6) plays a single part of the track exactly once. If there are several parts, ffmpeg copies
 * the samples of each part from the preceding keyframe on, and writes one edit that covers all of them. An empty edit
 * (media time -1) before the part only delays it: ffmpeg adds its duration to all timestamps, and writes an empty edit
 * again if they don't start at 0.
 *
 * @param list the contents of the box, padded with zeros.
 */
function isOneEdit(list: Buffer): boolean {
  const count = list.readUInt32BE(4);
  const mediaTime = list[0] === 1 ? list.readBigInt64BE(16) : BigInt(list.readInt32BE(12));
  return count <= 1 || (count === 2 && mediaTime === -1n);
}

/** Returns the first bytes of a box's contents, padded with zeros. */
async function read(input: InputFile, { body, end }: BoxHeader, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  await input.read(bytes, 0, Math.max(0, Math.min(length, end - body)), body);
  return bytes;
}

async function* limited(
  input: InputFile,
  from: number,
  to: number,
  budget: { left: number },
): AsyncGenerator<BoxHeader> {
  for await (const box of boxHeaders(input, from, to)) {
    if (budget.left-- <= 0) return;
    yield box;
  }
}
