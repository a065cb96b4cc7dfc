import { quoted } from "~/shared/markup/playlist-text";
import { startRendition } from "~/shared/streams/start-rendition";
import { bandwidth, type Segment } from "./playlist";
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
  forPoorLines?: boolean;
}

export interface SoundRendition
  extends Pick<Sound, "encoding" | "label" | "language" | "channels" | "isDefault" | "mayBeTaken"> {
  /** File name of its media playlist. */
  playlist: string;
  codec: string;
  segments: readonly Segment[];
}

/**
 * What a film begins with is named first, since a device's own player takes it; then the others, the
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
          .filter(({ forPoorLines }) => !forPoorLines)
          .flatMap((variant) => variantTag(variant, groupOf("surround", sounds)))
      : []),
    ...(poorest ? soundAlone(poorest, groupOf("poor", sounds)) : []),
    // §4.3.4.3: behind them, since the first of all is what begins.
    ...smallestFirst.filter(({ keyframePlaylist }) => keyframePlaylist).map(keyframesTag),
    "",
  ].join("\n");
}

const side = ({ width, height }: Variant) => Math.min(width, height);

function stereoOf({ forPoorLines }: Variant, sounds: readonly SoundRendition[]) {
  return groupOf(forPoorLines ? "poor" : "stereo", sounds);
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
