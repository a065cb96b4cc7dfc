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
