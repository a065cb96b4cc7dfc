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

/** The stream is encoded from the result, so the result must be visually lossless. x264's CRF 17 nearly is. */
const QUALITY = 17;
/** The factor by which the bitrate of a stream's best rendition is multiplied. */
const BITRATE_FACTOR = 3;
const AUDIO_BITRATE = 192_000;
/** The maximum length of a frame's shorter side. No device can decode larger H.264 frames. */
const MAX_SIDE = 2160;
const FILE = "cut.mp4";

/** The fraction of a frame's duration by which a time may be rounded down and still refer to the same frame. */
const ROUNDING_FRAMES = 0.05;
/** A margin that is shorter than a frame, but longer than the rounding errors of timestamps. */
const MARGIN_SECONDS = 0.002;

/** The start and length passed to ffmpeg, in seconds, chosen so that only whole frames are included. */
interface FrameRange {
  seek: number;
  length: number;
}

/** Returns the range from the frame shown at the start up to, but not including, the frame shown at the end. */
function frameRange({ start, end }: TrimRange, framesPerSecond: number): FrameRange {
  const frameAt = (seconds: number) => Math.floor(seconds * framesPerSecond + ROUNDING_FRAMES);
  const first = frameAt(start);
  const count = Math.max(1, frameAt(end) - first);
  return {
    seek: Math.max(0, first / framesPerSecond - MARGIN_SECONDS),
    length: count / framesPerSecond,
  };
}

/**
 * Creates a file that contains a part of a video, with all audio tracks. The part is re-encoded, because a copy could
 * only start at keyframes, which are seconds apart.
 */
export async function trimVideo(
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
  const { seek, length } = frameRange(trim, rate.numerator / rate.denominator);
  // If timestamps jump, seeking doesn't work, so everything before the range must be decoded as well.
  const canSeek = !timestampsJump(probe);
  const trimFilters = (prefix: "" | "a") =>
    canSeek
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
      ...(canSeek ? ["-ss", seek.toFixed(6), "-t", length.toFixed(6)] : []),
      ...inputArguments(file, probe),
      ...selectStreams(probe, audioTracks),
      ...["-filter_threads", String(threads()), "-vf", filters.join(",")],
      ...videoArguments(hardware, { maxBitrate, crf: QUALITY }),
      ...(audioTracks.length > 0
        ? [
            ...["-af", [...trimFilters("a"), audioSyncFilter(probe, length)].join(",")],
            ...[...audioArguments(AUDIO_BITRATE), ...audioTracks.flatMap(languageArguments)],
          ]
        : []),
      ...["-movflags", "+faststart", FILE],
    ],
    {
      seconds: length,
      fileBytes: maxFileBytes(length, maxBitrate + audioTracks.length * AUDIO_BITRATE),
      cpuSeconds: cpuSecondsFor({ durationSeconds: canSeek ? length : trim.end }),
    },
  );
}
