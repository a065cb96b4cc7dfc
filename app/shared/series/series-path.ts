import { PAGE_SIZE } from "../pages";

/** The URLs of series. These functions are in a separate module so that only pages that show a series load them. */

/** Returns the URL of a series. */
export function seriesPath(slug: string, page = 1): string {
  const path = `/series/${encodeURIComponent(slug)}`;
  return page > 1 ? `${path}?page=${page}` : path;
}

/** Returns the URL of a series' RSS feed. */
export function seriesFeedPath(slug: string): string {
  return `${seriesPath(slug)}/feed.xml`;
}

/** Returns the URL of a video within a series, including the position in seconds at which playback starts. */
export function seriesVideoPath(id: string, slug: string, startSeconds = 0): string {
  const parameters = new URLSearchParams({ series: slug });
  if (startSeconds > 0) parameters.set("t", String(Math.floor(startSeconds)));
  return `/video/${encodeURIComponent(id)}?${parameters}`;
}

/** Returns the number of the series page that contains the video at a position. Both are counted from 1. */
export function seriesPageOf(number: number): number {
  return Math.ceil(number / PAGE_SIZE);
}
