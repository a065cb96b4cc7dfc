import { type Artifact, cpuSecondsFor, NO_ARTIFACT, type Source } from "~/media/encode/artifact";
import { EncodeError, runFfmpeg, type Task } from "~/media/encode/task.server";
import { inputArguments } from "~/media/probe/ffmpeg.server";
import type { Probe } from "~/media/probe/probe.server";

/** The value that EBU R128 defines for silence. Also used for videos without audio. */
const SILENCE_LUFS = -70;

/** Only the audio is read, so ffmpeg may not report progress for minutes on a slow disk. */
const WATCHDOG_MS = 600_000;

/**
 * Measures a video's integrated loudness and true peak (EBU R128, ITU-R BS.1770), after converting the audio to stereo,
 * as in the stream. The player uses these values to normalize the volume, so that nothing has to be re-encoded.
 */
export async function measureLoudness(source: Source, probe: Probe, task: Task): Promise<Artifact> {
  if (!probe.audio) return { ...NO_ARTIFACT, columns: { loudness: SILENCE_LUFS, true_peak: null } };
  const lines = await runFfmpeg(
    task,
    [
      ...["-v", "info", "-threads", "1", ...inputArguments(source.file, probe)],
      ...["-map", `0:${probe.audio.index}`, "-vn", "-sn", "-dn"],
      ...["-t", String(probe.durationSeconds)],
      ...["-af", "aformat=channel_layouts=stereo,ebur128=peak=true:framelog=verbose"],
      ...["-f", "null", "-"],
    ],
    {
      seconds: probe.durationSeconds,
      fileBytes: 1024 ** 2,
      cpuSeconds: cpuSecondsFor(probe),
      watchdogMs: WATCHDOG_MS,
    },
  );
  const measured = parseSummary(lines);
  if (!measured) throw new EncodeError("The loudness of the audio couldn't be measured.", lines);
  return { ...NO_ARTIFACT, columns: measured };
}

/**
 * Parses the summary printed by ffmpeg's `ebur128` filter. The peak of silence is `-inf`, which is returned as null.
 */
export function parseSummary(
  lines: readonly string[],
): { loudness: number; true_peak: number | null } | undefined {
  const from = lines.findLastIndex((line) => line.includes("Summary:"));
  const summary = lines.slice(Math.max(0, from)).map((line) => line.trim());
  const find = (pattern: RegExp) =>
    summary.map((line) => pattern.exec(line)?.[1]).find((value) => value !== undefined);
  const loudness = Number(find(/^I:\s+(-?[\d.]+) LUFS$/));
  const peak = find(/^Peak:\s+(\S+) dBFS$/);
  if (!Number.isFinite(loudness) || peak === undefined) return undefined;
  return { loudness, true_peak: Number.isFinite(Number(peak)) ? Number(peak) : null };
}
