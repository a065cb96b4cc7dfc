import type { VideoCardData } from "../video-card";

/** A series beside a video of it that is watched. */
export interface SeriesQueue {
  slug: string;
  title: string;
  /** Of the video among those that are published, from 1. */
  number: number;
  total: number;
  /** The number of the first of `videos`. */
  firstNumber: number;
  /** Those around the video, itself among them. */
  videos: { id: string; title: string; duration: string }[];
  next?: VideoCardData;
}
