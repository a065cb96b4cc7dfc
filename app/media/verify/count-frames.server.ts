import { cpuSecondsFor } from "../encode/artifact";
import { runFfmpeg, type Task } from "../encode/task.server";
import { cachedProbe } from "../probe/cached-probe.server";
import { inputArguments } from "../probe/ffmpeg.server";
import { type Probe, RefusedFileError } from "../probe/probe.server";

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
  film: Video,
): Promise<boolean> {
  try {
    const probe = await cachedProbe(copy);
    if (!isAsLong(probe, film)) return false;
    return (await countPackets(task, copy, probe)) === (await countPackets(task, original, film));
  } catch (error) {
    if (error instanceof RefusedFileError) return false;
    throw error;
  }
}

/** Returns how many packets of the video a copy of a file gets: none before the first keyframe. */
async function countPackets(task: Task, file: string, film: Video): Promise<number> {
  let packets = 0;
  const stream = ["-map", `0:${film.video.index}`, "-c", "copy"];
  await runFfmpeg(task, [...inputArguments(file), ...stream, ...TO_NOTHING], {
    seconds: film.durationSeconds,
    fileBytes: FILE_BYTES,
    cpuSeconds: cpuSecondsFor(film),
    urgent: true,
    silent: true,
    onFrames: (count) => {
      packets = count;
    },
  });
  return packets;
}
