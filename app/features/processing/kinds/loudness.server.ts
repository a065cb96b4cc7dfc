import { type Artifact, cpuSecondsFor, NO_ARTIFACT, type Source } from "~/media/encode/artifact";
import { EncodeError, runFfmpeg, type Task } from "~/media/encode/task.server";
import { inputArguments } from "~/media/probe/ffmpeg.server";
import type { Probe } from "~/media/probe/probe.server";

/** What EBU R128 says of silence, and what a video without sound has. */
const SILENCE_LUFS = -70;

/** Sound is read with nothing beside it: a slow disk may be quiet for long. */
const WATCHDOG_MS = 600_000;

/**
 * How loud a video is over its whole length, and its highest peak (EBU R128, ITU-R BS.1770), as the
 * stream has it: in two channels. Players make videos equally loud by it, and nothing is encoded anew.
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
  if (!measured) throw new EncodeError("How loud the sound is could not be measured.", lines);
  return { ...NO_ARTIFACT, columns: measured };
}

/** The last lines of ffmpeg's filter `ebur128`; a peak of silence is minus infinity. */
export function parseSummary(
  lines: readonly string[],
): { loudness: number; true_peak: number | null } | undefined {
  const from = lines.findLastIndex((line) => line.includes("Summary:"));
  const summary = lines.slice(Math.max(0, from)).map((line) => line.trim());
  const said = (pattern: RegExp) =>
    summary.map((line) => pattern.exec(line)?.[1]).find((value) => value !== undefined);
  const loudness = Number(said(/^I:\s+(-?[\d.]+) LUFS$/));
  const peak = said(/^Peak:\s+(\S+) dBFS$/);
  if (!Number.isFinite(loudness) || peak === undefined) return undefined;
  return { loudness, true_peak: Number.isFinite(Number(peak)) ? Number(peak) : null };
}
