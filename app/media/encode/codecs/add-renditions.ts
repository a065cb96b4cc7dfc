import { bandwidth, type Segment } from "../playlist";

/**
 * Further renditions of an existing stream, over the same audio: each gets a copy of the lines that the
 * master playlist has for the same rendition in H.264.
 */
export interface AddedRendition {
  /** Of the rendition in H.264 of the same size, such as `720p`. */
  name: string;
  /** Its segments. */
  segmentsOfName: readonly Segment[];
  file: string;
  /** File names of its playlists. */
  playlist: string;
  keyframePlaylist: string;
  codec: string;
  segments: readonly Segment[];
  keyframes: readonly Segment[];
}

const SEGMENT = /^#EXTINF:([\d.]+),\n#EXT-X-BYTERANGE:(\d+)@(\d+)$/gm;

/** The segments that a media playlist of our own names (RFC 8216 §4.3.2). */
export function readSegments(playlist: string): Segment[] {
  return [...playlist.matchAll(SEGMENT)].map(([, duration, bytes, offset]) => ({
    ...{ duration: Number(duration), bytes: Number(bytes), offset: Number(offset) },
  }));
}

/** Seconds, of which all playlists of a stream have the same (§4.3.3.1). */
export function readTarget(playlist: string): number {
  return Number(/^#EXT-X-TARGETDURATION:(\d+)$/m.exec(playlist)?.[1] ?? Number.NaN);
}

/** Names of the renditions in H.264 that a master playlist has. */
export function renditionNames(master: string): string[] {
  const names = [...master.matchAll(/^#EXT-X-STREAM-INF:.*CODECS="avc1\..*\n(\w+)\.m3u8$/gm)];
  return [...new Set(names.map(([, name]) => name!))];
}

/** Named behind those in H.264: the first of all is what a device's own player begins with. */
export function masterWith(master: string, added: readonly AddedRendition[]): string {
  const tags = added.flatMap((one) => variantTags(master, one));
  const keyframes = added.flatMap((one) => keyframesTag(master, one));
  const lines = master.split("\n");
  const last = lines.findLastIndex((line) => /^#EXT-X-STREAM-INF:.*RESOLUTION=/.test(line)) + 2;
  return [...lines.slice(0, last), ...tags, ...lines.slice(last, -1), ...keyframes, ""].join("\n");
}

/** One for each group of sounds that the same picture in H.264 goes with (§4.3.4.2). */
function variantTags(master: string, one: AddedRendition): string[] {
  const own = bandwidth(one.segments);
  const before = bandwidth(one.segmentsOfName);
  const pattern = new RegExp(`^(#EXT-X-STREAM-INF:.*)\\n${one.name}\\.m3u8$`, "gm");
  return [...master.matchAll(pattern)].flatMap(([, tag]) => [
    // What is more than its pictures is the sound.
    tag!
      .replace(/\bBANDWIDTH=(\d+)/, (_, all) => `BANDWIDTH=${Number(all) - before.peak + own.peak}`)
      .replace(
        /\bAVERAGE-BANDWIDTH=(\d+)/,
        (_, all) => `AVERAGE-BANDWIDTH=${Number(all) - before.average + own.average}`,
      )
      .replace(/\bavc1\.\w+/, one.codec),
    one.playlist,
  ]);
}

/** §4.3.4.3. */
function keyframesTag(master: string, one: AddedRendition): string[] {
  const { peak, average } = bandwidth(one.keyframes);
  const pattern = new RegExp(
    `^#EXT-X-I-FRAME-STREAM-INF:.*URI="${one.name}-keyframes\\.m3u8"$`,
    "m",
  );
  const tag = pattern.exec(master)?.[0];
  if (!tag) return [];
  return [
    tag
      .replace(/\bBANDWIDTH=\d+/, `BANDWIDTH=${peak}`)
      .replace(/\bAVERAGE-BANDWIDTH=\d+/, `AVERAGE-BANDWIDTH=${average}`)
      .replace(/\bavc1\.\w+/, one.codec)
      .replace(`"${one.name}-keyframes.m3u8"`, `"${one.keyframePlaylist}"`),
  ];
}
