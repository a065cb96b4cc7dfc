import type { VideoCardData, VideoPage } from "./video-card";

/** The number of cards per page on Home, Categories and Trending (specification, section 9). */
export const PAGE_SIZE = 8;

/** The number of cards that the saved videos page requests at a time. */
export const SAVED_AT_ONCE = 24;

/** Parses the `page` parameter. Returns 1 for anything other than a positive integer. */
export function pageParameter(parameters: URLSearchParams): number {
  const requested = Number(parameters.get("page"));
  return Number.isSafeInteger(requested) && requested >= 1 ? requested : 1;
}

/** Returns the number of pages for `total` videos; an empty list has one page. */
function pageCount(total: number): number {
  return Math.max(1, Math.ceil(total / PAGE_SIZE));
}

/** Clamps a requested page to the range from 1 to the last page. */
export function clampPage(requested: number, total: number): number {
  return Math.min(Math.max(1, Math.floor(requested) || 1), pageCount(total));
}

export function videoPage(videos: VideoCardData[], page: number, total: number): VideoPage {
  return { videos, page, pageCount: pageCount(total), total };
}
