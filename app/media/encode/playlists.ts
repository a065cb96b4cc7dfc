import { quoted } from "~/shared/markup/playlist-text";
import { startRendition } from "~/shared/streams/start-rendition";
import type { AudioRendition, Encoding } from "./audio-renditions";

/** The HLS master playlist (RFC 8216 §4.3.4), which lists the video and audio renditions. */

/** A video rendition. */
export interface Variant {
  /** The file name of the media playlist. */
  playlist: string;
  /** The file name of the I-frame playlist; omitted until the playlist exists. */
  keyframePlaylist?: string;
  width: number;
  height: number;
  frameRate: number;
  codec: string;
  segments: readonly Segment[];
  keyframes: readonly Segment[];
  /** Whether the rendition is combined with the low-bitrate audio. */
  forSlowConnections?: boolean;
}

export interface EncodedAudio
  extends Pick<
    AudioRendition,
    "encoding" | "label" | "language" | "channels" | "isDefault" | "isAutoselect"
  > {
  /** The file name of the media playlist. */
  playlist: string;
  codec: string;
  segments: readonly Segment[];
}

/**
 * Returns the master playlist. The start rendition comes first, because native players begin with the first one. The
 * other renditions follow in ascending order of size, then all renditions again with surround audio, then the
 * audio-only rendition for the slowest connections.
 */
export function masterPlaylist(
  variants: readonly Variant[],
  audio: readonly EncodedAudio[],
): string {
  const smallestFirst = [...variants].sort((a, b) => side(a) - side(b));
  const start = startRendition(variants);
  const inOrder = [...smallestFirst].sort((a, b) => Number(b === start) - Number(a === start));
  const hasSurround = audio.some(({ encoding }) => encoding === "surround");
  const lowest = audio.find(({ encoding }) => encoding === "low");
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...audio.map(audioTag),
    ...inOrder.flatMap((variant) => variantTag(variant, stereoOf(variant, audio))),
    ...(hasSurround
      ? inOrder
          .filter(({ forSlowConnections }) => !forSlowConnections)
          .flatMap((variant) => variantTag(variant, groupOf("surround", audio)))
      : []),
    ...(lowest ? audioOnlyTag(lowest, groupOf("low", audio)) : []),
    // I-frame playlists (§4.3.4.3). They come after the variants, because players start with the first variant.
    ...smallestFirst.filter(({ keyframePlaylist }) => keyframePlaylist).map(keyframesTag),
    "",
  ].join("\n");
}

const side = ({ width, height }: Variant) => Math.min(width, height);

function stereoOf({ forSlowConnections }: Variant, audio: readonly EncodedAudio[]) {
  return groupOf(forSlowConnections ? "low" : "stereo", audio);
}

function groupOf(encoding: Encoding, audio: readonly EncodedAudio[]) {
  return audio.filter((each) => each.encoding === encoding);
}

/** Returns an EXT-X-MEDIA tag (§4.3.4.1). */
function audioTag(audio: EncodedAudio): string {
  const yes = (is: boolean) => (is ? "YES" : "NO");
  return `#EXT-X-MEDIA:${[
    "TYPE=AUDIO",
    `GROUP-ID="${audio.encoding}"`,
    `NAME=${quoted(audio.label)}`,
    ...(audio.language ? [`LANGUAGE=${quoted(audio.language)}`] : []),
    `DEFAULT=${yes(audio.isDefault)}`,
    `AUTOSELECT=${yes(audio.isAutoselect)}`,
    `CHANNELS="${audio.channels}"`,
    `URI="${audio.playlist}"`,
  ].join(",")}`;
}

/** Returns an EXT-X-STREAM-INF tag (§4.3.4.2). Its bandwidth includes the group's largest audio rendition. */
function variantTag(variant: Variant, group: readonly EncodedAudio[]): string[] {
  const { peak, average } = totalBandwidth(variant.segments, group);
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

function audioOnlyTag(audio: EncodedAudio, group: readonly EncodedAudio[]): string[] {
  const { peak, average } = totalBandwidth([], group);
  return streamTag(audio.playlist, [
    `BANDWIDTH=${peak}`,
    `AVERAGE-BANDWIDTH=${average}`,
    `CODECS="${audio.codec}"`,
    `AUDIO="${audio.encoding}"`,
  ]);
}

const streamTag = (playlist: string, attributes: string[]) => [
  `#EXT-X-STREAM-INF:${attributes.join(",")}`,
  playlist,
];

function totalBandwidth(segments: readonly Segment[], group: readonly EncodedAudio[]) {
  const video = bandwidth(segments);
  const audio = group.map((each) => bandwidth(each.segments));
  return {
    peak: video.peak + Math.max(0, ...audio.map(({ peak }) => peak)),
    average: video.average + Math.max(0, ...audio.map(({ average }) => average)),
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

/** A byte range of a fragmented file, as listed in an HLS media playlist (RFC 8216). */
export interface Segment {
  offset: number;
  bytes: number;
  /** Seconds. */
  duration: number;
}

/**
 * Combines fragments, each of which begins with a keyframe, into segments of two fragments. The first two segments have
 * only one fragment each, because playback starts sooner if the first segment is short.
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
 * Returns the segments of a video that are already final, although the rest of the video is still being encoded. They
 * never include the video's last segment.
 *
 * @param videoSeconds duration of the complete video.
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
 * Returns the segments of an audio rendition, whose fragments are shorter: each segment ends with the fragment whose
 * end is closest to the end of the video segment.
 *
 * @param isGrowing whether the audio and video are still being encoded. If so, only final segments are returned.
 */
export function audioSegments(
  fragments: readonly Segment[],
  videoSegments: readonly Segment[],
  isGrowing = false,
): Segment[] {
  const segments: Segment[] = [];
  let videoEnd = 0;
  let end = 0;
  let at = 0;
  for (const [index, { duration }] of videoSegments.entries()) {
    videoEnd += duration;
    const isLast = !isGrowing && index === videoSegments.length - 1;
    let isClosed = !isGrowing;
    let segment: Segment | undefined;
    for (; at < fragments.length; at++) {
      const { offset, bytes, duration } = fragments[at]!;
      if (segment && !isLast && end + duration / 2 > videoEnd) {
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

/** Returns the target duration (§4.3.3.1): no EXTINF, rounded to the nearest second, may exceed it. */
export function targetDuration(segments: readonly Segment[]): number {
  return Math.max(1, ...segments.map(({ duration }) => Math.round(duration)));
}

/**
 * The state of a media playlist: complete when it was published (`whole`), growing while the video is being encoded, or
 * complete after having grown. Existing lines of a growing playlist must not change (§6.2.1).
 */
export type Growth = "whole" | "growing" | "grown";

/** Makes players start at the beginning of a growing playlist instead of near its end (§4.3.5.2). */
const FROM_THE_BEGINNING = "#EXT-X-START:TIME-OFFSET=0,PRECISE=YES";

/**
 * Returns the media playlist of one rendition: a header and segments, all in one file.
 *
 * @param target target duration in seconds, which has to be the same for all renditions of a stream (§6.2.4).
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

/** Returns a rendition's I-frame playlist (§4.3.3.6), which native players use to show previews while seeking. */
export function keyframePlaylist(
  file: string,
  headerBytes: number,
  keyframes: readonly Segment[],
): string {
  const target = targetDuration(keyframes);
  return mediaPlaylist(file, headerBytes, keyframes, target, ["#EXT-X-I-FRAMES-ONLY"]);
}

/**
 * Returns the average and the peak bitrate in bits per second. The peak is the highest bitrate of any run of contiguous
 * segments with a total duration between 0.5 and 1.5 times the target duration (§4.1).
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
