import { hasFilter } from "../probe/ffmpeg.server";
import type { VideoStream } from "../probe/playable";
import { scaleColors, tagColors } from "./colors";
import type { Rate } from "./renditions";

/**
 * From what was filmed to what a screen shows: one picture of interlaced two, a steady rate from
 * time 0 on, the size, square pixels, the colours of HDR brought into those of a usual screen, and
 * the tags that say which colours those are.
 */
export function pictureFilters(
  video: VideoStream,
  { width, height }: { width: number; height: number },
  rate?: Rate,
): string[] {
  return [
    ...frameFilters(video, rate),
    ...(video.hdr && hasFilter("zscale")
      ? [...hdrColors(video), `zscale=${width}:${height}:filter=bicubic`, ...TONE_MAPPING]
      : [`scale=${width}:${height}:${scaleColors(video)}`, "format=yuv420p"]),
    "setsar=1",
    tagColors(video),
  ];
}

/** The filters that decide how many frames there are, and when each is shown. */
export function frameFilters(
  { interlaced, firstSize }: Pick<VideoStream, "interlaced" | "firstSize">,
  rate?: Rate,
): string[] {
  return [
    ...(firstSize ? [`scale=${firstSize.width}:${firstSize.height}`] : []),
    ...(interlaced ? ["bwdif=mode=send_frame"] : []),
    ...(rate ? [`fps=fps=${rate.numerator}/${rate.denominator}:start_time=0`] : []),
  ];
}

/** What has the light of HDR has its colours too (ITU-R BT.2100), where it does not say so. */
function hdrColors({ primaries, matrix }: VideoStream): string[] {
  const assumed = [
    ...(primaries ? [] : ["color_primaries=bt2020"]),
    ...(matrix ? [] : ["colorspace=bt2020nc"]),
  ];
  return assumed.length > 0 ? [`setparams=${assumed.join(":")}`] : [];
}

/** Mobius' curve: within half a decibel of ITU-R BT.2390, where Hable's is 4 dB darker. */
const TONE_MAPPING = [
  "zscale=t=linear:npl=100",
  "format=gbrpf32le",
  "zscale=p=bt709",
  "tonemap=tonemap=mobius:desat=0",
  "zscale=t=bt709:m=bt709:r=tv",
  "format=yuv420p",
];
