import { distinctLabel, languageTag, soundLabel, UNKNOWN } from "../captions/languages";
import type { SoundStream } from "../probe/streams";

/** The sounds of an adaptive stream: each sound of the video alone in a file, in one or more encodings. */

export interface Sound {
  /** Names its files, such as `sound-1`. */
  name: string;
  /** Its number in the source. */
  index: number;
  encoding: Encoding;
  /** Left out for one that is copied. */
  bitrate?: number;
  channels: number;
  /** What people choose it by; the same in every encoding. */
  label: string;
  /** BCP 47; left out where the video does not say. */
  language?: string;
  /** The first one is what is heard unless another is chosen. */
  isDefault: boolean;
  /** A player may take it by the language of its user: the first sound in that language. */
  mayBeTaken: boolean;
}

/** Stereo for every rendition, poor stereo for the poorest lines, and surround as the video has it. */
export type Encoding = "stereo" | "poor" | "surround";

const BITRATES = { stereo: 128_000, poor: 64_000 };

/** More languages than a video is sold with. */
export const MAX_AUDIO_TRACKS = 20;
/** What MP4 holds and devices at a television decode. */
const SURROUND_CODECS = ["ac3", "eac3"];

/** What a title says of a track that is another's in surround. */
const SURROUND_TITLE = /^$|surround|dolby|\bac-?3\b|\b[5-7]\.1\b/i;

/**
 * The sounds to be made of a video, by encoding, in each the default one first.
 *
 * @param withLowBandwidth there is a rendition for poor lines.
 */
export function soundsFor(streams: readonly SoundStream[], withLowBandwidth: boolean): Sound[] {
  const labels = new Set<string>();
  const languages = new Set<string>();
  const stereo: Sound[] = [];
  const surround: Sound[] = [];
  const most = streams.slice(0, MAX_AUDIO_TRACKS);
  for (const stream of most) {
    const other = most.find((each) => surroundOf(each, most) === stream);
    if (other) continue;
    const label = distinctLabel(soundLabel(stream), labels);
    labels.add(label);
    const tag = languageTag(stream.language);
    const isDefault = stereo.length === 0;
    const name = `sound-${stereo.length + 1}`;
    const sound = {
      ...{ index: stream.index, label, isDefault },
      ...(tag !== UNKNOWN && { language: tag }),
      mayBeTaken: isDefault || (tag !== UNKNOWN && !languages.has(tag)),
    };
    languages.add(tag);
    const bitrate = BITRATES.stereo;
    stereo.push({ ...sound, name, encoding: "stereo", bitrate, channels: 2 });
    const full = isSurround(stream) ? stream : surroundOf(stream, most);
    if (!full) continue;
    const { index, channels } = full;
    surround.push({ ...sound, name: `${name}-surround`, encoding: "surround", index, channels });
  }
  const poor = stereo.map((sound) => ({
    ...sound,
    name: `${sound.name}-poor`,
    encoding: "poor" as const,
    bitrate: BITRATES.poor,
  }));
  // Without the default one, the language would change with the encoding.
  return [
    ...stereo,
    ...(withLowBandwidth ? poor : []),
    ...(surround.some(({ isDefault }) => isDefault) ? surround : []),
  ];
}

function isSurround({ codec, channels }: SoundStream): boolean {
  return SURROUND_CODECS.includes(codec) && channels > 2;
}

/** Many videos have each language twice: in stereo, and behind it in surround. */
function surroundOf(stereo: SoundStream, streams: readonly SoundStream[]): SoundStream | undefined {
  if (stereo.channels > 2) return undefined;
  return streams.find(
    (stream) =>
      isSurround(stream) &&
      languageTag(stream.language) === languageTag(stereo.language) &&
      (stream.title === stereo.title || SURROUND_TITLE.test(stream.title)),
  );
}
