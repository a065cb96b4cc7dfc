import type { Level } from "hls.js";
import { EXTRA_CODECS } from "~/shared/streams/codecs";

/** Pictures as most videos have them at their best. */
const USUAL = { width: 1920, height: 1080, bitrate: 3_000_000, framerate: 30 };
/** Names of such pictures (RFC 6381): Main, level 4.0. */
const NAMES = { av1: "av01.0.08M.08", hevc: "hvc1.1.6.L120.90" } as const;

/**
 * Codecs beside H.264 that this device decodes without dropping pictures and without draining its
 * battery (Media Capabilities), by the beginnings of their names; none where it can't tell.
 */
export async function efficientCodecs(): Promise<string[]> {
  const efficient = await Promise.all(
    (["av1", "hevc"] as const).map(async (codec) => {
      try {
        const contentType = `video/mp4; codecs="${NAMES[codec]}"`;
        const { smooth, powerEfficient } = await navigator.mediaCapabilities.decodingInfo({
          type: "media-source",
          video: { ...USUAL, contentType },
        });
        return smooth && powerEfficient ? [EXTRA_CODECS[codec].sampleEntry] : [];
      } catch {
        return [];
      }
    }),
  );
  return efficient.flat();
}

/** Whether a rendition is in the one codec that is played: the best that the device decodes well, or H.264. */
export function isPlayedOf(levels: readonly Level[], efficient: readonly string[]) {
  const isIn = (codec: string) => (level: Level) => level.videoCodec?.startsWith(codec) ?? false;
  const codec = efficient.find((one) => levels.some(isIn(one))) ?? "avc1";
  // A stream of another make may name no codecs, and has one.
  return levels.some(isIn(codec)) ? isIn(codec) : () => true;
}
