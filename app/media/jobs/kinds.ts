import type { JobKind } from "~db/schema";

/**
 * In which order things are made: what lets a new video be watched goes before everything else, its
 * pictures before its renditions, and all of it before what an older video still lacks.
 */
export const PRIORITIES: Record<JobKind, number> = {
  playable: 0,
  poster: 10,
  storyboard: 20,
  preview: 30,
  ladder: 40,
  tidy: 50,
};

/** What a job is called where people read it. */
export const JOB_LABELS: Record<JobKind, string> = {
  playable: "Making it playable",
  poster: "Poster",
  storyboard: "Storyboard",
  preview: "Hover preview",
  ladder: "Streaming qualities",
  tidy: "Cleaning up",
};

/** A job that is not done, for people. Plain values, so that it travels to the browser. */
export interface JobNow {
  id: number;
  videoId: string;
  /** Of the video. */
  title: string;
  label: string;
  state: "waiting" | "running" | "parked";
  /** 0 to 1 */
  progress: number;
  /** Seconds of video made in a second. */
  speed?: number;
  secondsLeft?: number;
  /** Why the last attempt failed. */
  reason?: string;
  attempts: number;
}

/** What is still made of one video. */
export interface JobSummary {
  running?: JobNow;
  waiting: number;
  failed: JobNow[];
}

export interface QueueView {
  running: JobNow[];
  /** The first hundred. */
  waiting: JobNow[];
  waitingCount: number;
  failed: JobNow[];
  /** The queue waits because the disk is nearly full. */
  diskFull: boolean;
  ffmpeg: boolean;
}
