import type { VideoCardData } from "../video-card";

/** A series, as shown on the page of one of its videos. */
export interface SeriesQueue {
  slug: string;
  title: string;
  /** The video's position among the published videos, counted from 1. */
  number: number;
  total: number;
  /** The position of the first video in `videos`. */
  firstNumber: number;
  /** The current video and the videos before and after it. */
  videos: { id: string; title: string; duration: string }[];
  next?: VideoCardData;
}
