import { PAGE_SIZE } from "../pages";

/** The addresses of series, for the pages that show one: no other page loads this module. */

/** The address of a series' list. */
export function seriesPath(slug: string, page = 1): string {
  const path = `/series/${encodeURIComponent(slug)}`;
  return page > 1 ? `${path}?page=${page}` : path;
}

/** The address of the RSS feed of a series. */
export function seriesFeedPath(slug: string): string {
  return `${seriesPath(slug)}/feed.xml`;
}

/** The address of a video within a series, and the second to start at. */
export function seriesVideoPath(id: string, slug: string, startSeconds = 0): string {
  const parameters = new URLSearchParams({ series: slug });
  if (startSeconds > 0) parameters.set("t", String(Math.floor(startSeconds)));
  return `/video/${encodeURIComponent(id)}?${parameters}`;
}

/** The page of a series' list that has its video of this number, counted from 1. */
export function seriesPageOf(number: number): number {
  return Math.ceil(number / PAGE_SIZE);
}
