import type { VideoCardData } from "../video-card";

/** A series as shown next to the video that is being watched. */
export interface SeriesQueue {
  slug: string;
  title: string;
  /** Position of the video among the published ones, from 1. */
  number: number;
  total: number;
  /** Position of the first of `videos`. */
  firstNumber: number;
  /** The videos around it, including itself. */
  videos: { id: string; title: string; duration: string }[];
  next?: VideoCardData;
}
