import type { JobKind } from "~db/schema";
import { JOB_LABELS } from "../queue/kinds";

/** Of a kind of job: how much of it is left. */
export interface LeftOfKind {
  kind: JobKind;
  /** Seconds of film that it is made from; undefined when no length of them is known. */
  filmSeconds?: number;
}

/** How long the queue takes: seconds; null when nobody can know yet, with what has never been made. */
export interface TimeLeft {
  seconds: number | null;
  unmeasured: string[];
}

/**
 * How long what waits and what runs will take, from how long jobs of their kinds took.
 *
 * @param took by kind: seconds of work for a second of film, one for each of the last finished jobs.
 * @param runningSeconds what running jobs say of themselves.
 * @param atOnce jobs that are made beside each other.
 */
export function timeLeft(
  left: readonly LeftOfKind[],
  took: ReadonlyMap<JobKind, readonly number[]>,
  runningSeconds: number,
  atOnce: number,
): TimeLeft {
  let seconds = runningSeconds;
  const unmeasured: string[] = [];
  for (const { kind, filmSeconds } of left) {
    const speeds = took.get(kind) ?? [];
    if (speeds.length === 0 || filmSeconds === undefined) unmeasured.push(JOB_LABELS[kind]);
    else seconds += filmSeconds * median(speeds);
  }
  return { seconds: unmeasured.length > 0 ? null : seconds / Math.max(1, atOnce), unmeasured };
}

/** Not the mean: a job that was held for something more urgent seems to have taken hours. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
