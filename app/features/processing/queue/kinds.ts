import { formatSpan } from "~/shared/format-span";
import type { JobKind, JobState } from "~db/schema";

/**
 * The priority of each kind of job. Jobs with lower values run first. The jobs that make a new video watchable come
 * first, its images come before its renditions, and all of these come before the jobs that create files for older
 * videos.
 */
export const PRIORITIES: Record<JobKind, number> = {
  // A new video doesn't become public until its scan has finished.
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
 * The width of a priority band. A job that an admin moves keeps the priority of its kind and is shifted by whole bands:
 * with a priority below 0, it runs before all other jobs, and with a priority of 100 or more, after them.
 */
export const PRIORITY_BAND = 100;

/** How long an original is kept next to its copy, for viewers who were watching it when it was replaced. */
export const SOURCE_KEPT_MS = 6 * 3_600_000;

/** The display name of each kind of job. The database stores the name of the kind instead. */
export const JOB_LABELS: Record<JobKind, string> = {
  scan: "Scan",
  transcode: "Preparing for playback",
  captions: "Captions",
  poster: "Poster",
  storyboard: "Storyboard",
  preview: "Hover preview",
  loudness: "Loudness",
  ladder: "Streaming versions",
  cleanup: "Cleanup",
  codecs: "Additional codecs",
  fingerprint: "Duplicate check",
};

/** The label of a trimmed version's first job, which creates its file. */
const TRIMMING = "Trimming";

/**
 * Returns a job's label for lists.
 *
 * @param of `file`: the row of `video_files` that the job is for, or null if it is for the video itself; `cut_of`: the
 * original that this file is trimmed from.
 */
export function jobLabel(
  kind: JobKind,
  { file, cut_of }: { file: string | null; cut_of: string | null },
): string {
  if (!file) return JOB_LABELS[kind];
  if (cut_of === null) return `New file: ${JOB_LABELS[kind]}`;
  return `Trimmed version: ${kind === "transcode" ? TRIMMING : JOB_LABELS[kind]}`;
}

/** A job as shown in the studio. It contains only plain values, so that it can be sent to the browser. */
export interface ListedJob {
  id: number;
  videoId: string;
  /** The video's title. */
  title: string;
  label: string;
  /** An explanation, shown if the label alone isn't clear. */
  note?: string;
  state: JobState;
  /** 0 to 1 */
  progress: number;
  /** The speed, in seconds of video processed per second. */
  speed?: number;
  secondsLeft?: number;
  /** The reason why the last attempt failed. */
  reason?: string;
  /** Set if someone has moved the job to the front or the back of the queue. */
  position?: "first" | "last";
  /** The time when the job finished or failed permanently (ISO 8601, UTC). */
  finishedAt?: string;
  /**
   * Whether the job depends on a job that has failed permanently. It runs once that job has been retried successfully.
   */
  isBlocked?: boolean;
  attempts: number;
}

/** The message for a queued job that can't start. */
export const BLOCKED = `Blocked: “${JOB_LABELS.transcode}” failed.`;

/** The unfinished jobs of a video. */
export interface JobSummary {
  running?: ListedJob;
  waiting: number;
  /** Whether the queued jobs depend on a job that has failed. */
  isBlocked?: boolean;
  failed: ListedJob[];
}

/** Returns text such as `43% · 2.1× speed · 1 min 20 s left`. */
export function progressText({
  progress,
  speed,
  secondsLeft,
}: Pick<ListedJob, "progress" | "speed" | "secondsLeft">): string {
  const parts = [`${Math.floor(progress * 100)}%`];
  if (speed) parts.push(`${speed.toFixed(1)}× speed`);
  if (secondsLeft !== undefined) parts.push(`${formatSpan(secondsLeft)} left`);
  return parts.join(" · ");
}
