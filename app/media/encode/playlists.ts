import { quoted } from "~/shared/markup/playlist-text";
import { startRendition } from "~/shared/streams/start-rendition";
import type { Encoding, Sound } from "./sounds";

/** The multivariant playlist of HLS (RFC 8216 §4.3.4): which renditions there are, and of which sounds. */

/** Pictures in one size. */
export interface Variant {
  /** File name of its media playlist. */
  playlist: string;
  /** File name of the playlist of its keyframes alone; left out until that is there. */
  keyframePlaylist?: string;
  width: number;
  height: number;
  frameRate: number;
  codec: string;
  segments: readonly Segment[];
  keyframes: readonly Segment[];
  /** Its sound is the poor one. */
  forSlowConnections?: boolean;
}

export interface SoundRendition
  extends Pick<Sound, "encoding" | "label" | "language" | "channels" | "isDefault" | "mayBeTaken"> {
  /** File name of its media playlist. */
  playlist: string;
  codec: string;
  segments: readonly Segment[];
}

/**
 * What a video begins with is named first, since a device's own player takes it; then the others, the
 * smallest first, the same with surround, and the sound alone for the poorest line.
 */
export function masterPlaylist(
  variants: readonly Variant[],
  sounds: readonly SoundRendition[],
): string {
  const smallestFirst = [...variants].sort((a, b) => side(a) - side(b));
  const start = startRendition(variants);
  const inOrder = [...smallestFirst].sort((a, b) => Number(b === start) - Number(a === start));
  const hasSurround = sounds.some(({ encoding }) => encoding === "surround");
  const poorest = sounds.find(({ encoding }) => encoding === "poor");
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...sounds.map(soundTag),
    ...inOrder.flatMap((variant) => variantTag(variant, stereoOf(variant, sounds))),
    ...(hasSurround
      ? inOrder
          .filter(({ forSlowConnections }) => !forSlowConnections)
          .flatMap((variant) => variantTag(variant, groupOf("surround", sounds)))
      : []),
    ...(poorest ? soundAlone(poorest, groupOf("poor", sounds)) : []),
    // §4.3.4.3: behind them, since the first of all is what begins.
    ...smallestFirst.filter(({ keyframePlaylist }) => keyframePlaylist).map(keyframesTag),
    "",
  ].join("\n");
}

const side = ({ width, height }: Variant) => Math.min(width, height);

function stereoOf({ forSlowConnections }: Variant, sounds: readonly SoundRendition[]) {
  return groupOf(forSlowConnections ? "poor" : "stereo", sounds);
}

function groupOf(encoding: Encoding, sounds: readonly SoundRendition[]) {
  return sounds.filter((sound) => sound.encoding === encoding);
}

/** §4.3.4.1. */
function soundTag(sound: SoundRendition): string {
  const yes = (is: boolean) => (is ? "YES" : "NO");
  return `#EXT-X-MEDIA:${[
    "TYPE=AUDIO",
    `GROUP-ID="${sound.encoding}"`,
    `NAME=${quoted(sound.label)}`,
    ...(sound.language ? [`LANGUAGE=${quoted(sound.language)}`] : []),
    `DEFAULT=${yes(sound.isDefault)}`,
    `AUTOSELECT=${yes(sound.mayBeTaken)}`,
    `CHANNELS="${sound.channels}"`,
    `URI="${sound.playlist}"`,
  ].join(",")}`;
}

/** §4.3.4.2: the rates are those of the pictures and of the largest sound that may go with them. */
function variantTag(variant: Variant, group: readonly SoundRendition[]): string[] {
  const { peak, average } = together(variant.segments, group);
  const codecs = new Set([variant.codec, ...group.map(({ codec }) => codec)]);
  return streamTag(variant.playlist, [
    `BANDWIDTH=${peak}`,
    `AVERAGE-BANDWIDTH=${average}`,
    `CODECS="${[...codecs].join(",")}"`,
    `RESOLUTION=${variant.width}x${variant.height}`,
    `FRAME-RATE=${variant.frameRate.toFixed(3)}`,
    ...group.slice(0, 1).map(({ encoding }) => `AUDIO="${encoding}"`),
  ]);
}

function soundAlone(sound: SoundRendition, group: readonly SoundRendition[]): string[] {
  const { peak, average } = together([], group);
  return streamTag(sound.playlist, [
    `BANDWIDTH=${peak}`,
    `AVERAGE-BANDWIDTH=${average}`,
    `CODECS="${sound.codec}"`,
    `AUDIO="${sound.encoding}"`,
  ]);
}

const streamTag = (playlist: string, attributes: string[]) => [
  `#EXT-X-STREAM-INF:${attributes.join(",")}`,
  playlist,
];

function together(segments: readonly Segment[], group: readonly SoundRendition[]) {
  const pictures = bandwidth(segments);
  const sounds = group.map((sound) => bandwidth(sound.segments));
  return {
    peak: pictures.peak + Math.max(0, ...sounds.map(({ peak }) => peak)),
    average: pictures.average + Math.max(0, ...sounds.map(({ average }) => average)),
  };
}

function keyframesTag(variant: Variant): string {
  const { peak, average } = bandwidth(variant.keyframes);
  return `#EXT-X-I-FRAME-STREAM-INF:${[
    `BANDWIDTH=${peak}`,
    `AVERAGE-BANDWIDTH=${average}`,
    `CODECS="${variant.codec}"`,
    `RESOLUTION=${variant.width}x${variant.height}`,
    `URI="${variant.keyframePlaylist}"`,
  ].join(",")}`;
}

/** Media playlists of HLS (RFC 8216) over single fragmented files with byte ranges. */

export interface Segment {
  offset: number;
  bytes: number;
  /** Seconds. */
  duration: number;
}

/**
 * Two fragments, each of which begins with a keyframe, are a segment. The first two are one each: the
 * shorter the first segment, the sooner a video plays.
 */
export function segmentsOf(fragments: readonly Segment[]): Segment[] {
  const segments = fragments
    .slice(0, 2)
    .map(({ offset, bytes, duration }) => ({ offset, bytes, duration }));
  for (let at = 2; at < fragments.length; at += 2) {
    const [{ offset, bytes, duration }, second] = [fragments[at]!, fragments[at + 1]];
    segments.push({
      offset,
      bytes: bytes + (second?.bytes ?? 0),
      duration: duration + (second?.duration ?? 0),
    });
  }
  return segments;
}

/**
 * The segments of a video that is being made which stay as they are, whatever follows: the last of the
 * video is not among them.
 *
 * @param videoSeconds that the video will last.
 */
export function closedSegments(fragments: readonly Segment[], videoSeconds: number): Segment[] {
  let end = 0;
  const before = fragments.filter(({ duration }) => {
    end += duration;
    return end <= videoSeconds - duration;
  });
  const whole = before.length > 2 ? before.length - (before.length % 2) : before.length;
  return segmentsOf(before.slice(0, whole));
}

/**
 * The same of a sound, whose fragments are shorter: each segment ends with the fragment that ends
 * nearest to the end of the segment of the pictures.
 *
 * @param isGrowing both are being made: only segments that stay as they are.
 */
export function soundSegments(
  fragments: readonly Segment[],
  pictures: readonly Segment[],
  isGrowing = false,
): Segment[] {
  const segments: Segment[] = [];
  let picturesEnd = 0;
  let end = 0;
  let at = 0;
  for (const [index, { duration }] of pictures.entries()) {
    picturesEnd += duration;
    const isLast = !isGrowing && index === pictures.length - 1;
    let isClosed = !isGrowing;
    let segment: Segment | undefined;
    for (; at < fragments.length; at++) {
      const { offset, bytes, duration } = fragments[at]!;
      if (segment && !isLast && end + duration / 2 > picturesEnd) {
        isClosed = true;
        break;
      }
      segment = {
        offset: segment?.offset ?? offset,
        bytes: (segment?.bytes ?? 0) + bytes,
        duration: (segment?.duration ?? 0) + duration,
      };
      end += duration;
    }
    if (segment && isClosed) segments.push(segment);
  }
  return segments;
}

/** §4.3.3.1: every EXTINF, rounded to the nearest second, is at most this. */
export function targetDuration(segments: readonly Segment[]): number {
  return Math.max(1, ...segments.map(({ duration }) => Math.round(duration)));
}

/**
 * How much of a video its playlist has: all of it from the beginning, as much as is made of it yet, or
 * all of it now. The lines of a playlist stay as they were when more are added (§6.2.1).
 */
export type Growth = "whole" | "growing" | "grown";

/** Who comes while a playlist grows begins with the video, and not with what was made last (§4.3.5.2). */
const FROM_THE_BEGINNING = "#EXT-X-START:TIME-OFFSET=0,PRECISE=YES";

/**
 * The playlist of one rendition: a header and its segments, all in one file.
 *
 * @param target seconds: the same in all renditions of a stream (§6.2.4).
 */
export function mediaPlaylist(
  file: string,
  headerBytes: number,
  segments: readonly Segment[],
  target = targetDuration(segments),
  tags: readonly string[] = ["#EXT-X-INDEPENDENT-SEGMENTS"],
  growth: Growth = "whole",
): string {
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    `#EXT-X-TARGETDURATION:${target}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    ...(growth === "whole"
      ? ["#EXT-X-PLAYLIST-TYPE:VOD"]
      : ["#EXT-X-PLAYLIST-TYPE:EVENT", FROM_THE_BEGINNING]),
    ...tags,
    `#EXT-X-MAP:URI="${file}",BYTERANGE="${headerBytes}@0"`,
    ...segments.flatMap(({ offset, bytes, duration }) => [
      `#EXTINF:${duration.toFixed(6)},`,
      `#EXT-X-BYTERANGE:${bytes}@${offset}`,
      file,
    ]),
    ...(growth === "growing" ? [] : ["#EXT-X-ENDLIST"]),
    "",
  ].join("\n");
}

/**
 * §4.3.3.6: the keyframes of the same file, which a device's own player shows while one winds through
 * the video.
 */
export function keyframePlaylist(
  file: string,
  headerBytes: number,
  keyframes: readonly Segment[],
): string {
  const target = targetDuration(keyframes);
  return mediaPlaylist(file, headerBytes, keyframes, target, ["#EXT-X-I-FRAMES-ONLY"]);
}

/**
 * Bits a second: on average, and at the peak, which §4.1 defines as the largest rate of any
 * segments in a row that last between half and one and a half target durations together.
 */
export function bandwidth(segments: readonly Segment[]): {
  peak: number;
  average: number;
} {
  const target = targetDuration(segments);
  let peak = 0;
  let bytes = 0;
  let seconds = 0;
  for (const [from, segment] of segments.entries()) {
    bytes += segment.bytes;
    seconds += segment.duration;
    let rowBytes = 0;
    let rowSeconds = 0;
    for (let at = from; at < segments.length; at++) {
      rowBytes += segments[at]!.bytes;
      rowSeconds += segments[at]!.duration;
      if (rowSeconds > target * 1.5) break;
      if (rowSeconds >= target * 0.5) peak = Math.max(peak, (rowBytes * 8) / rowSeconds);
    }
  }
  const average = seconds > 0 ? (bytes * 8) / seconds : 0;
  return { peak: Math.ceil(Math.max(peak, average)), average: Math.ceil(average) };
}
