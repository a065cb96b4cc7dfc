import type { Level } from "hls.js";
import { EXTRA_CODECS } from "~/shared/streams/codecs";

/** The properties of a typical video at its highest quality. */
const TYPICAL = { width: 1920, height: 1080, bitrate: 3_000_000, framerate: 30 };
/** The codec strings for a typical video (RFC 6381): Main profile, level 4.0. */
const CODEC_STRINGS = { av1: "av01.0.08M.08", hevc: "hvc1.1.6.L120.90" } as const;

/**
 * Returns the codecs besides H.264 that this device decodes smoothly and power-efficiently (Media Capabilities), as
 * prefixes of their codec strings. Returns an empty list if the browser can't report this.
 */
export async function efficientCodecs(): Promise<string[]> {
  const efficient = await Promise.all(
    (["av1", "hevc"] as const).map(async (codec) => {
      try {
        const contentType = `video/mp4; codecs="${CODEC_STRINGS[codec]}"`;
        const { smooth, powerEfficient } = await navigator.mediaCapabilities.decodingInfo({
          type: "media-source",
          video: { ...TYPICAL, contentType },
        });
        return smooth && powerEfficient ? [EXTRA_CODECS[codec].sampleEntry] : [];
      } catch {
        return [];
      }
    }),
  );
  return efficient.flat();
}

/**
 * Returns a filter for the renditions in the codec to be played: the best codec that the device decodes well, or else
 * H.264.
 */
export function playedCodecFilter(levels: readonly Level[], efficient: readonly string[]) {
  const isIn = (codec: string) => (level: Level) => level.videoCodec?.startsWith(codec) ?? false;
  const codec = efficient.find((one) => levels.some(isIn(one))) ?? "avc1";
  // A stream from another encoder may not declare any codecs. In that case, it has only one.
  return levels.some(isIn(codec)) ? isIn(codec) : () => true;
}
