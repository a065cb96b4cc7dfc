import { audioLabel, distinctLabel, languageTag, UNKNOWN } from "../captions/languages";
import type { AudioTrack } from "../probe/streams";

/**
 * An audio rendition of an adaptive stream, stored in a separate file. Each of the video's audio tracks has one
 * rendition for each encoding.
 */
export interface AudioRendition {
  /** The base name of the rendition's files, such as `audio-1`. */
  name: string;
  /** The index of the audio stream in the source. */
  index: number;
  encoding: Encoding;
  /** The audio bitrate; omitted if the audio stream is copied. */
  bitrate?: number;
  channels: number;
  /** The label shown in the player's menu, which is the same for every encoding. */
  label: string;
  /** The BCP 47 language tag; omitted if the source doesn't specify the language. */
  language?: string;
  /** Whether the rendition is played unless the user chooses another one. */
  isDefault: boolean;
  /**
   * Whether players may select the rendition based on the user's language: true for the first rendition in each
   * language.
   */
  isAutoselect: boolean;
}

/**
 * The audio encodings: stereo for most video renditions, low-bitrate stereo for the slowest connections, and the
 * source's surround audio.
 */
export type Encoding = "stereo" | "low" | "surround";

const BITRATES = { stereo: 128_000, low: 64_000 };

/** The maximum number of audio tracks. No published video has that many. */
export const MAX_AUDIO_TRACKS = 20;
/** Surround codecs that MP4 supports and TV devices can decode. */
const SURROUND_CODECS = ["ac3", "eac3"];

/** Matches the titles of tracks that are the surround version of another track. */
const SURROUND_TITLE = /^$|surround|dolby|\bac-?3\b|\b[5-7]\.1\b/i;

/**
 * Returns the audio renditions for a video, grouped by encoding, with each group's default rendition first.
 *
 * @param withLowBandwidth whether the stream has a video rendition for slow connections.
 */
export function audioRenditionsFor(
  streams: readonly AudioTrack[],
  withLowBandwidth: boolean,
): AudioRendition[] {
  const labels = new Set<string>();
  const languages = new Set<string>();
  const stereo: AudioRendition[] = [];
  const surround: AudioRendition[] = [];
  const most = streams.slice(0, MAX_AUDIO_TRACKS);
  for (const stream of most) {
    const other = most.find((each) => surroundVersionOf(each, most) === stream);
    if (other) continue;
    const label = distinctLabel(audioLabel(stream), labels);
    labels.add(label);
    const tag = languageTag(stream.language);
    const isDefault = stereo.length === 0;
    const name = `audio-${stereo.length + 1}`;
    const rendition = {
      ...{ index: stream.index, label, isDefault },
      ...(tag !== UNKNOWN && { language: tag }),
      isAutoselect: isDefault || (tag !== UNKNOWN && !languages.has(tag)),
    };
    languages.add(tag);
    const bitrate = BITRATES.stereo;
    stereo.push({ ...rendition, name, encoding: "stereo", bitrate, channels: 2 });
    const full = isSurround(stream) ? stream : surroundVersionOf(stream, most);
    if (!full) continue;
    const { index, channels } = full;
    surround.push({
      ...rendition,
      name: `${name}-surround`,
      encoding: "surround",
      index,
      channels,
    });
  }
  const lowBitrate = stereo.map((rendition) => ({
    ...rendition,
    name: `${rendition.name}-low`,
    encoding: "low" as const,
    bitrate: BITRATES.low,
  }));
  // If the surround group had no default rendition, the language could change along with the encoding.
  return [
    ...stereo,
    ...(withLowBandwidth ? lowBitrate : []),
    ...(surround.some(({ isDefault }) => isDefault) ? surround : []),
  ];
}

function isSurround({ codec, channels }: AudioTrack): boolean {
  return SURROUND_CODECS.includes(codec) && channels > 2;
}

/** Returns the surround version of a stereo track. Many videos have both versions for each language. */
function surroundVersionOf(
  stereo: AudioTrack,
  streams: readonly AudioTrack[],
): AudioTrack | undefined {
  if (stereo.channels > 2) return undefined;
  return streams.find(
    (stream) =>
      isSurround(stream) &&
      languageTag(stream.language) === languageTag(stereo.language) &&
      (stream.title === stereo.title || SURROUND_TITLE.test(stream.title)),
  );
}
