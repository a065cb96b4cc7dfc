import { readFile } from "node:fs/promises";
import path from "node:path";
import { inputArguments } from "../probe/ffmpeg.server";
import { cachedProbe, type Probe, RefusedFileError } from "../probe/probe.server";
import { cpuSecondsFor } from "./artifact";
import { threads } from "./encoders.server";
import { EncodeError, runFfmpeg, type Task } from "./task.server";

type Video = Pick<Probe, "durationSeconds" | "video">;

/** Nothing is written. */
const FILE_BYTES = 1024 ** 2;
const TO_NOTHING = ["-f", "null", "-"];
/** What rounding to another time base, and another guess at how long the last frame lasts, may make of a length. */
const ROUNDING_SECONDS = 0.1;
const ROUNDING_FRAMES = 2;

/** Whether one file lasts as long as another, or longer. */
export function isAsLong({ durationSeconds }: Video, original: Video): boolean {
  const tolerance = ROUNDING_SECONDS + ROUNDING_FRAMES / original.video.frameRate;
  return durationSeconds >= original.durationSeconds - tolerance;
}

/**
 * Whether `ffmpeg -c copy` has copied the whole video of a file: it ends with exit code 0 also at a read
 * error, and at an entry of the index that points behind the end of the file. Such an end is one for
 * all streams.
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

/** Returns how many packets of the video a copy of a file gets: none before the first keyframe. */
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

/** Returns a hash of the packets of each stream, sorted. */
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
  /** Seconds of the video; they limit the processor time. */
  durationSeconds: number;
  /** Numbers of the streams in the file. */
  video?: number;
  audio: readonly number[];
  /** Of the file's probe, see inputArguments(). */
  dtsDeltaThreshold?: number;
  /** Filters of the video; without any, each frame of the file counts once. */
  filters?: readonly string[];
}

/** All video and audio that is converted. */
export function streamsOf({ durationSeconds, video, sounds, dtsDeltaThreshold }: Probe): Decoding {
  const audio = sounds.map(({ index }) => index);
  return {
    ...{ durationSeconds, video: video.index, audio },
    ...(dtsDeltaThreshold !== undefined && { dtsDeltaThreshold }),
  };
}

/**
 * Decodes streams of a file completely, and returns how many video frames the filters give.
 *
 * @returns undefined when there is an error anywhere in them.
 * @throws {InterruptedError} when the file could not be decoded to its end for another reason.
 */
export async function decodeFrames(
  task: Task,
  file: string,
  { durationSeconds, video, audio, dtsDeltaThreshold, filters }: Decoding,
): Promise<number | undefined> {
  let frames = 0;
  // Timestamps that repeat or run backwards are no fault of the frames, but the muxer would report them.
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
