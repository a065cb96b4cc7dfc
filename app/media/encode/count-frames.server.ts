import { readFile } from "node:fs/promises";
import path from "node:path";
import { inputArguments } from "../probe/ffmpeg.server";
import { cachedProbe, type Probe, RefusedFileError } from "../probe/probe.server";
import { cpuSecondsFor } from "./artifact";
import { threads } from "./encoders.server";
import { EncodeError, runFfmpeg, type Task } from "./task.server";

type Video = Pick<Probe, "durationSeconds" | "video">;

/** The file size limit for ffmpeg commands that only count frames and therefore write almost nothing. */
const FILE_BYTES = 1024 ** 2;
const TO_NOTHING = ["-f", "null", "-"];
/**
 * The tolerance when comparing durations. Time bases are rounded differently, and the last frame's duration is
 * estimated.
 */
const ROUNDING_SECONDS = 0.1;
const ROUNDING_FRAMES = 2;

/** Returns whether a file is at least as long as another file, within the tolerance. */
export function isAsLong({ durationSeconds }: Video, original: Video): boolean {
  const tolerance = ROUNDING_SECONDS + ROUNDING_FRAMES / original.video.frameRate;
  return durationSeconds >= original.durationSeconds - tolerance;
}

/**
 * Returns whether `ffmpeg -c copy` has copied a file's whole video stream. ffmpeg exits with 0 even if it can't read
 * the whole file or the index points beyond the end of the file. In both cases, all streams end early.
 */
export async function isWholeCopy(
  task: Task,
  copy: string,
  original: string,
  source: Video,
): Promise<boolean> {
  try {
    const probe = await cachedProbe(copy);
    if (!isAsLong(probe, source)) return false;
    return (await countPackets(task, copy, probe)) === (await countPackets(task, original, source));
  } catch (error) {
    if (error instanceof RefusedFileError) return false;
    throw error;
  }
}

/**
 * Returns the number of video packets that a copy of a file should contain. Packets before the first keyframe aren't
 * copied.
 */
async function countPackets(task: Task, file: string, source: Video): Promise<number> {
  let packets = 0;
  const stream = ["-map", `0:${source.video.index}`, "-c", "copy"];
  await runFfmpeg(task, [...inputArguments(file), ...stream, ...TO_NOTHING], {
    seconds: source.durationSeconds,
    fileBytes: FILE_BYTES,
    cpuSeconds: cpuSecondsFor(source),
    urgent: true,
    silent: true,
    onFrames: (count) => {
      packets = count;
    },
  });
  return packets;
}

const HASHES = "packets.txt";

/** Returns one hash per stream, computed from the stream's packets, in sorted order. */
export async function hashPackets(
  task: Task,
  file: string,
  durationSeconds: number,
  streams: readonly number[],
): Promise<string[]> {
  await runFfmpeg(
    task,
    [
      ...[...inputArguments(file), ...streams.flatMap((index) => ["-map", `0:${index}`])],
      ...["-c", "copy", "-f", "streamhash", "-hash", "murmur3", HASHES],
    ],
    {
      seconds: durationSeconds,
      fileBytes: FILE_BYTES,
      cpuSeconds: cpuSecondsFor({ durationSeconds }),
      silent: true,
    },
  );
  const text = await readFile(path.join(task.folder, HASHES), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => line.replace(/^\d+,/, ""))
    .sort();
}

export interface Decoding {
  /** The video's duration, which determines the CPU time limit. */
  durationSeconds: number;
  /** The indices of the streams in the file. */
  video?: number;
  audio: readonly number[];
  /** Options from the file's probe; see inputArguments(). */
  dtsDeltaThreshold?: number;
  /** The video filters to apply. If there are none, each frame in the file is counted once. */
  filters?: readonly string[];
}

/** Returns all video and audio streams that will be converted. */
export function streamsOf({
  durationSeconds,
  video,
  audioTracks,
  dtsDeltaThreshold,
}: Probe): Decoding {
  const audio = audioTracks.map(({ index }) => index);
  return {
    ...{ durationSeconds, video: video.index, audio },
    ...(dtsDeltaThreshold !== undefined && { dtsDeltaThreshold }),
  };
}

/**
 * Decodes streams of a file completely and returns the number of video frames that the filters output.
 *
 * @returns undefined if a decoding error occurs anywhere.
 * @throws {InterruptedError} if decoding stopped early for another reason.
 */
export async function decodeFrames(
  task: Task,
  file: string,
  { durationSeconds, video, audio, dtsDeltaThreshold, filters }: Decoding,
): Promise<number | undefined> {
  let frames = 0;
  // Repeated or decreasing timestamps don't mean that frames are damaged, but the muxer would report them as errors.
  const videoFilters = filters
    ? ["-vf", filters.join(",")]
    : ["-vf", "settb=1/1000,setpts=N", "-enc_time_base", "1:1000"];
  const streams = [
    ...(video === undefined ? [] : ["-map", `0:${video}`, ...videoFilters]),
    ...audio.flatMap((index) => ["-map", `0:${index}`]),
    ...(audio.length > 0 ? ["-af", "asetpts=N/SR/TB"] : []),
  ];
  const decoder = ["-xerror", "-threads", String(threads())];
  try {
    const errors = await runFfmpeg(
      task,
      [...decoder, ...inputArguments(file, { dtsDeltaThreshold }), ...streams, ...TO_NOTHING],
      {
        seconds: durationSeconds,
        fileBytes: FILE_BYTES,
        cpuSeconds: cpuSecondsFor({ durationSeconds }),
        silent: true,
        onFrames: (count) => {
          frames = count;
        },
      },
    );
    return errors.length > 0 ? undefined : frames;
  } catch (error) {
    if (error instanceof EncodeError) return undefined;
    throw error;
  }
}
