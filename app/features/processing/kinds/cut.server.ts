import {
  type Artifact,
  cpuSecondsFor,
  maxFileBytes,
  type Source,
  type TrimRange,
} from "~/media/encode/artifact";
import {
  activeHardware,
  audioArguments,
  audioSyncFilter,
  deviceArguments,
  type Hardware,
  threads,
  uploadFilter,
  videoArguments,
  withSoftware,
} from "~/media/encode/encoders.server";
import { videoFilters } from "~/media/encode/filters.server";
import { constantFrameRate, fit, renditionsFor } from "~/media/encode/renditions.server";
import { runFfmpeg, type Task } from "~/media/encode/task.server";
import { languageArguments, selectStreams } from "~/media/encode/transcode.server";
import { inputArguments } from "~/media/probe/ffmpeg.server";
import { type Probe, timestampsJump } from "~/media/probe/probe.server";

/** Streams are made from it, so that it must lose next to nothing: x264's 17 is hardly told from the video. */
const QUALITY = 17;
/** Times the bits of the best rendition of a stream. */
const BITRATE_FACTOR = 3;
const SOUND_BITRATE = 192_000;
/** Larger pictures no device decodes as H.264. */
const MAX_SIDE = 2160;
const FILE = "cut.mp4";

/** A moment that was rounded a little before its picture still means that picture. */
const ROUNDING_PICTURES = 0.05;
/** Less than a picture, more than what is lost by writing a time down. */
const MARGIN_SECONDS = 0.002;

/** Where ffmpeg has to begin, and for how long, in seconds, that it takes whole pictures. */
interface PictureRange {
  seek: number;
  length: number;
}

/**
 * From the picture that is shown at the start to the last one before that which is shown at the end, of
 * a video with a steady rate.
 */
function pictureRange({ start, end }: TrimRange, framesPerSecond: number): PictureRange {
  const pictureAt = (seconds: number) => Math.floor(seconds * framesPerSecond + ROUNDING_PICTURES);
  const first = pictureAt(start);
  const count = Math.max(1, pictureAt(end) - first);
  return {
    seek: Math.max(0, first / framesPerSecond - MARGIN_SECONDS),
    length: count / framesPerSecond,
  };
}

/**
 * A part of a video as a file of its own, with all its sounds. It is encoded anew: a copy could begin at
 * keyframes only, which stand seconds apart.
 */
export async function cutVideo(
  source: Source & { trim: TrimRange },
  probe: Probe,
  task: Task,
): Promise<Artifact> {
  await withSoftware(activeHardware(), (hardware) => encode(source, probe, task, hardware));
  return {
    moves: [{ from: FILE, bucket: "videos", path: `${source.basePath}.mp4` }],
    columns: { video_url: source.url },
  };
}

async function encode(
  { file, trim }: Source & { trim: TrimRange },
  probe: Probe,
  task: Task,
  hardware: Hardware,
): Promise<void> {
  const { video, audioTracks } = probe;
  const rate = constantFrameRate(video.frameRate);
  const { seek, length } = pictureRange(trim, rate.numerator / rate.denominator);
  // Where timestamps jump nothing can be sought: everything before the part is decoded too.
  const isSought = !timestampsJump(probe);
  const trimFilters = (prefix: "" | "a") =>
    isSought
      ? []
      : [
          `${prefix}trim=start=${seek.toFixed(6)}:end=${(seek + length).toFixed(6)}`,
          `${prefix}setpts=PTS-${seek.toFixed(6)}/TB`,
        ];
  const filters = [
    ...trimFilters(""),
    ...videoFilters(video, fit(video, MAX_SIDE), rate),
    uploadFilter(hardware),
  ];
  const maxBitrate = renditionsFor(video, MAX_SIDE).at(-1)!.maxBitrate * BITRATE_FACTOR;
  await runFfmpeg(
    task,
    [
      ...deviceArguments(hardware),
      ...["-threads", String(threads())],
      ...(isSought ? ["-ss", seek.toFixed(6), "-t", length.toFixed(6)] : []),
      ...inputArguments(file, probe),
      ...selectStreams(probe, audioTracks),
      ...["-filter_threads", String(threads()), "-vf", filters.join(",")],
      ...videoArguments(hardware, { maxBitrate, crf: QUALITY }),
      ...(audioTracks.length > 0
        ? [
            ...["-af", [...trimFilters("a"), audioSyncFilter(probe, length)].join(",")],
            ...[...audioArguments(SOUND_BITRATE), ...audioTracks.flatMap(languageArguments)],
          ]
        : []),
      ...["-movflags", "+faststart", FILE],
    ],
    {
      seconds: length,
      fileBytes: maxFileBytes(length, maxBitrate + audioTracks.length * SOUND_BITRATE),
      cpuSeconds: cpuSecondsFor({ durationSeconds: isSought ? length : trim.end }),
    },
  );
}
