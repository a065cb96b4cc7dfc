import { hasFilter } from "../probe/ffmpeg.server";
import type { VideoStream } from "../probe/streams";

/** A frame rate as a fraction, so that 29.97 is exact. */
export interface Rate {
  numerator: number;
  denominator: number;
}

/**
 * Returns the video filters: deinterlacing, a constant frame rate starting at time 0, scaling, square pixels, tone
 * mapping of HDR to SDR, and color tags.
 */
export function videoFilters(
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

/** Returns the filters that determine the number and timing of frames. */
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

/** Assumes the colors of ITU-R BT.2100 for HDR video that doesn't specify its primaries or matrix. */
function hdrColors({ primaries, matrix }: VideoStream): string[] {
  const assumed = [
    ...(primaries ? [] : ["color_primaries=bt2020"]),
    ...(matrix ? [] : ["colorspace=bt2020nc"]),
  ];
  return assumed.length > 0 ? [`setparams=${assumed.join(":")}`] : [];
}

/** The Mobius curve is within half a decibel of ITU-R BT.2390, while Hable's is 4 dB darker. */
const TONE_MAPPING = [
  "zscale=t=linear:npl=100",
  "format=gbrpf32le",
  "zscale=p=bt709",
  "tonemap=tonemap=mobius:desat=0",
  "zscale=t=bt709:m=bt709:r=tv",
  "format=yuv420p",
];

/** The color tags of an output file, by ffmpeg's names (ISO/IEC 23091-2). The range is always limited. */
interface Colors {
  matrix: string;
  primaries: string;
  transfer: string;
}

const BT709: Colors = { matrix: "bt709", primaries: "bt709", transfer: "bt709" };
const BT601: Colors = { matrix: "smpte170m", primaries: "smpte170m", transfer: "smpte170m" };

/** The color matrices that aren't converted, because every player supports them. */
const USUAL_MATRICES = ["bt709", "smpte170m", "bt470bg"];
/** The color matrices that are converted, with their names in ffmpeg's `scale` filter. */
const OTHER_MATRICES: Record<string, string> = {
  smpte240m: "smpte240m",
  fcc: "fcc",
  bt2020nc: "bt2020",
  bt2020c: "bt2020",
};
const PRIMARIES = ["bt709", "bt470m", "bt470bg", "smpte170m", "smpte240m", "film", "bt2020"];
const TRANSFERS = ["bt709", "bt470m", "bt470bg", "smpte170m", "smpte240m", "iec61966-2-1"];

/** If a file doesn't specify its matrix, BT.709 is assumed at this size and above, and BT.601 below it. */
const HD_WIDTH = 1280;
const HD_HEIGHT = 720;

/**
 * Returns the color tags for all of a video's outputs: those of the source if players support them, otherwise BT.709.
 */
function colorsOf(video: VideoStream): Colors {
  if (video.hdr) return BT709;
  const { primaries = "", transfer = "" } = video;
  const matrix = sourceMatrix(video);
  const isUsual = USUAL_MATRICES.includes(matrix);
  const usual = isUsual && matrix !== BT709.matrix ? BT601 : BT709;
  return {
    matrix: isUsual ? matrix : BT709.matrix,
    primaries: PRIMARIES.includes(primaries) ? primaries : usual.primaries,
    transfer: TRANSFERS.includes(transfer) ? transfer : usual.transfer,
  };
}

/** Returns the source's color matrix. */
function sourceMatrix({ matrix = "", width, height }: VideoStream): string {
  if (USUAL_MATRICES.includes(matrix) || OTHER_MATRICES[matrix]) return matrix;
  return width >= HD_WIDTH || height >= HD_HEIGHT ? BT709.matrix : BT601.matrix;
}

/** Returns the options for ffmpeg's `scale` filter that convert the colors. */
function scaleColors(video: VideoStream): string {
  const { matrix: wanted } = colorsOf(video);
  const matrix = sourceMatrix(video);
  // Without these flags, the result of a matrix conversion is five levels too dark.
  const flags = `flags=bicubic${matrix === wanted ? "" : "+accurate_rnd+full_chroma_int"}`;
  const out = `${flags}:out_color_matrix=${wanted}:out_range=limited`;
  if (isRgb(video)) return out;
  const isFull = video.fullRange || video.pixelFormat.startsWith("yuvj");
  const range = isFull ? "full" : "limited";
  return `in_color_matrix=${OTHER_MATRICES[matrix] ?? matrix}:in_range=${range}:${out}`;
}

function isRgb({ pixelFormat, matrix }: VideoStream): boolean {
  return /^(rgb|bgr|gbr|argb|abgr|0rgb|pal8)/.test(pixelFormat) || matrix === "gbr";
}

/**
 * Returns the filter that tags frames with their colors. Encoders write the tags into the file. Without tags, players
 * guess the matrix from the size, and the same red looks different at 480p and 720p.
 */
function tagColors(video: VideoStream): string {
  const { matrix, primaries, transfer } = colorsOf(video);
  return `setparams=range=limited:colorspace=${matrix}:color_primaries=${primaries}:color_trc=${transfer}`;
}

/** Returns the filter that converts to JPEG's colors: BT.601, full range. */
export function jpegColors(video: VideoStream): string {
  const from = `in_color_matrix=${colorsOf(video).matrix}:in_range=limited`;
  return `scale=${from}:out_color_matrix=smpte170m:out_range=full,format=yuvj420p`;
}
