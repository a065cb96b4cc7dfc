import { hasFilter } from "../probe/ffmpeg.server";
import type { VideoStream } from "../probe/streams";

/** Pictures a second as a fraction, so that 29.97 stays exact. */
export interface Rate {
  numerator: number;
  denominator: number;
}

/**
 * From what was recorded to what a screen shows: one picture of interlaced two, a steady rate from
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

/** What an output says of its colours, in ffmpeg's words (ISO/IEC 23091-2); the range is limited. */
interface Colors {
  matrix: string;
  primaries: string;
  transfer: string;
}

const BT709: Colors = { matrix: "bt709", primaries: "bt709", transfer: "bt709" };
const BT601: Colors = { matrix: "smpte170m", primaries: "smpte170m", transfer: "smpte170m" };

/** Matrices that are left as they are: every player knows them. */
const USUAL_MATRICES = ["bt709", "smpte170m", "bt470bg"];
/** Others that are converted, with the names that ffmpeg's filter `scale` has for them. */
const OTHER_MATRICES: Record<string, string> = {
  smpte240m: "smpte240m",
  fcc: "fcc",
  bt2020nc: "bt2020",
  bt2020c: "bt2020",
};
const PRIMARIES = ["bt709", "bt470m", "bt470bg", "smpte170m", "smpte240m", "film", "bt2020"];
const TRANSFERS = ["bt709", "bt470m", "bt470bg", "smpte170m", "smpte240m", "iec61966-2-1"];

/** Where a file does not say: from here on BT.709, below it BT.601. */
const HD_WIDTH = 1280;
const HD_HEIGHT = 720;

/** The colours that all outputs of a video have: its own where those are usual, else BT.709. */
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

/** The matrix of the file's own pictures. */
function sourceMatrix({ matrix = "", width, height }: VideoStream): string {
  if (USUAL_MATRICES.includes(matrix) || OTHER_MATRICES[matrix]) return matrix;
  return width >= HD_WIDTH || height >= HD_HEIGHT ? BT709.matrix : BT601.matrix;
}

/** Options of ffmpeg's filter `scale` that bring the pictures of a video into those colours. */
function scaleColors(video: VideoStream): string {
  const { matrix: wanted } = colorsOf(video);
  const matrix = sourceMatrix(video);
  // From one matrix to another it is five levels too dark without.
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
 * The filter that says of pictures which colours they have; encoders write it into the file. Without it, players guess
 * the matrix from the size, and the same red differs between 480p and 720p.
 */
function tagColors(video: VideoStream): string {
  const { matrix, primaries, transfer } = colorsOf(video);
  return `setparams=range=limited:colorspace=${matrix}:color_primaries=${primaries}:color_trc=${transfer}`;
}

/** The filter from those colours to the ones of every JPEG: BT.601, full range. */
export function jpegColors(video: VideoStream): string {
  const from = `in_color_matrix=${colorsOf(video).matrix}:in_range=limited`;
  return `scale=${from}:out_color_matrix=smpte170m:out_range=full,format=yuvj420p`;
}
