import { formatSpan } from "~/shared/format-span";
import type { JobKind, JobState } from "~db/schema";

/**
 * In which order things are made: what lets a new video be watched goes before everything else, its
 * pictures before its renditions, and all of it before what an older video still lacks.
 */
export const PRIORITIES: Record<JobKind, number> = {
  // A new video is not public before it.
  scan: 0,
  transcode: 0,
  captions: 5,
  poster: 10,
  storyboard: 20,
  preview: 30,
  fingerprint: 33,
  loudness: 35,
  ladder: 40,
  cleanup: 50,
  codecs: 60,
};

/**
 * What an admin puts first or last keeps the order of its kind and goes down or up by whole turns of
 * so much: a priority below 0 goes before all the rest, one of 100 and more behind it.
 */
export const TURN = 100;

/**
 * The file as it came stays at least this long beside its copy, for those who were playing it when
 * the copy replaced it.
 */
export const SOURCE_KEPT_MS = 6 * 3_600_000;

/** What a job is called where people read it. */
export const JOB_LABELS: Record<JobKind, string> = {
  scan: "Scanning",
  transcode: "Making it playable",
  captions: "Captions",
  poster: "Poster",
  storyboard: "Storyboard",
  preview: "Hover preview",
  loudness: "Loudness",
  ladder: "Streaming qualities",
  cleanup: "Cleaning up",
  codecs: "More efficient qualities",
  fingerprint: "Comparing with others",
};

/** The first job of a cut, which makes its file. */
const CUTTING = "Cutting the video";

/**
 * What a job is called where it is listed.
 *
 * @param of `file`: the row of `video_files` that it is made of, which is to become a video's; `cut_of`:
 *   what that is cut from.
 */
export function jobLabel(
  kind: JobKind,
  { file, cut_of }: { file: string | null; cut_of: string | null },
): string {
  if (!file) return JOB_LABELS[kind];
  if (cut_of === null) return `New file: ${JOB_LABELS[kind]}`;
  return `New cut: ${kind === "transcode" ? CUTTING : JOB_LABELS[kind]}`;
}

/** A job that is not done, for people. Plain values, so that it travels to the browser. */
export interface JobNow {
  id: number;
  videoId: string;
  /** Of the video. */
  title: string;
  label: string;
  /** What it is for, where its name does not say it. */
  note?: string;
  state: JobState;
  /** 0 to 1 */
  progress: number;
  /** Seconds of video made in a second. */
  speed?: number;
  secondsLeft?: number;
  /** Why the last attempt failed. */
  reason?: string;
  /** Somebody has put it before or behind all the rest. */
  turn?: "first" | "last";
  /** When it was done or had failed for good, ISO 8601 UTC. */
  finishedAt?: string;
  /** It waits for one that has failed for good, and is made when that is tried again. */
  isBlocked?: boolean;
  attempts: number;
}

/** Why a job waits that nothing will start. */
export const BLOCKED = `Waits for “${JOB_LABELS.transcode}”, which failed.`;

/** What is still made of one video. */
export interface JobSummary {
  running?: JobNow;
  waiting: number;
  /** All that waits does so for one that has failed. */
  isBlocked?: boolean;
  failed: JobNow[];
}

/** Such as `43% · 2.1× speed · 1 min 20 s left`. */
export function progressText({
  progress,
  speed,
  secondsLeft,
}: Pick<JobNow, "progress" | "speed" | "secondsLeft">): string {
  const parts = [`${Math.floor(progress * 100)}%`];
  if (speed) parts.push(`${speed.toFixed(1)}× speed`);
  if (secondsLeft !== undefined) parts.push(`${formatSpan(secondsLeft)} left`);
  return parts.join(" · ");
}
