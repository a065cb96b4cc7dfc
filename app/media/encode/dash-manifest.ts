import { xmlElement, xmlText } from "~/shared/markup/xml";
import type { SoundRendition, Variant } from "./master-playlist";
import { bandwidth, type Segment } from "./playlist";

/**
 * The manifest of MPEG-DASH (ISO/IEC 23009-1) over the same files as the playlists of HLS, by byte
 * ranges (§5.3.9.3, SegmentList), for televisions and players that know no HLS.
 */

/** What is told of a file, whatever is in it. */
interface InFile {
  /** Its name, beside the manifest. */
  file: string;
  headerBytes: number;
  codec: string;
  segments: readonly Segment[];
}
export type Pictures = InFile & Pick<Variant, "width" | "height" | "frameRate">;
type Heard = InFile &
  Pick<SoundRendition, "encoding" | "label" | "language" | "channels" | "isDefault">;

/** Ticks a second of the times in the manifest. */
const TIMESCALE = 1_000_000;
/** ISO/IEC 23091-3 numbers the layouts of loudspeakers; these are known by their count. */
const LAYOUTS: Record<number, number> = { 1: 1, 2: 2, 6: 6, 8: 12 };

/**
 * What may replace each other while a film plays is one set: the pictures, and the encodings of one
 * sound; surround is a set of its own.
 *
 * @param seconds that the film lasts, and the longest segment at most.
 */
export function dashManifest(
  pictures: readonly Pictures[],
  sounds: readonly Heard[],
  seconds: { film: number; segment: number },
): string {
  const stereo = new Map<string, Heard[]>();
  for (const sound of sounds) {
    if (sound.encoding === "surround") continue;
    stereo.set(sound.label, [...(stereo.get(sound.label) ?? []), sound]);
  }
  const surround = sounds.filter(({ encoding }) => encoding === "surround").map((one) => [one]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"' +
      ' profiles="urn:mpeg:dash:profile:isoff-main:2011"' +
      ` mediaPresentationDuration="PT${seconds.film.toFixed(3)}S" minBufferTime="PT${seconds.segment}S">`,
    '<Period id="1" start="PT0S">',
    pictureSet(pictures),
    ...[...stereo.values(), ...surround].map(soundSet),
    "</Period>",
    "</MPD>",
    "",
  ].join("\n");
}

export function pictureSet(pictures: readonly Pictures[]): string {
  return [
    '<AdaptationSet contentType="video" mimeType="video/mp4" segmentAlignment="true" startWithSAP="1">',
    ...pictures.map((one) =>
      representation(one, `width="${one.width}" height="${one.height}" frameRate="${rateOf(one)}"`),
    ),
    "</AdaptationSet>",
  ].join("\n");
}

/** §5.3.7.2: a whole number, or two with a slash. */
function rateOf({ frameRate }: Pictures): string {
  const whole = Math.round(frameRate);
  return Math.abs(frameRate - whole) < 0.001
    ? String(whole)
    : `${Math.round(frameRate * 1_001)}/1001`;
}

function soundSet(encodings: readonly Heard[]): string {
  const [{ label, language, channels, isDefault }] = encodings as [Heard];
  const layout = LAYOUTS[channels];
  return [
    '<AdaptationSet contentType="audio" mimeType="audio/mp4" segmentAlignment="true" startWithSAP="1"' +
      `${language ? ` lang="${xmlText(language)}"` : ""}>`,
    ...(layout
      ? [
          '<AudioChannelConfiguration schemeIdUri="urn:mpeg:mpegB:cicp:ChannelConfiguration"' +
            ` value="${layout}"/>`,
        ]
      : []),
    `<Role schemeIdUri="urn:mpeg:dash:role:2011" value="${isDefault ? "main" : "alternate"}"/>`,
    xmlElement("Label", label),
    ...encodings.map((one) => representation(one, 'audioSamplingRate="48000"')),
    "</AdaptationSet>",
  ].join("\n");
}

function representation(one: InFile, attributes: string): string {
  const { file, headerBytes, codec, segments } = one;
  const id = file.replace(".mp4", "");
  return [
    `<Representation id="${id}" codecs="${codec}" bandwidth="${bandwidth(segments).peak}" ${attributes}>`,
    xmlElement("BaseURL", file),
    `<SegmentList timescale="${TIMESCALE}">`,
    `<Initialization range="0-${headerBytes - 1}"/>`,
    `<SegmentTimeline>${timeline(segments)}</SegmentTimeline>`,
    ...segments.map(
      ({ offset, bytes }) => `<SegmentURL mediaRange="${offset}-${offset + bytes - 1}"/>`,
    ),
    "</SegmentList>",
    "</Representation>",
  ].join("\n");
}

/** From one rounded time to the next, so that no rounding adds up. */
function timeline(segments: readonly Segment[]): string {
  let seconds = 0;
  return segments
    .map(({ duration }) => {
      const start = Math.round(seconds * TIMESCALE);
      seconds += duration;
      return `<S t="${start}" d="${Math.round(seconds * TIMESCALE) - start}"/>`;
    })
    .join("");
}
