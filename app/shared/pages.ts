import type { VideoCardData, VideoPage } from "./video-card";

/** Cards on a page of Home, Categories and Trending (specification, section 9). */
export const PAGE_SIZE = 8;

/** Cards that the page of saved videos asks for at once. */
export const SAVED_AT_ONCE = 24;

/** The page asked for by `page`: 1 for anything that is not a whole number of at least 1. */
export function pageParameter(parameters: URLSearchParams): number {
  const asked = Number(parameters.get("page"));
  return Number.isSafeInteger(asked) && asked >= 1 ? asked : 1;
}

/** How many pages `total` videos fill; an empty list has one page. */
function pageCount(total: number): number {
  return Math.max(1, Math.ceil(total / PAGE_SIZE));
}

/** The page to show when `asked` was asked for: below 1 is 1, above the last is the last. */
export function clampPage(asked: number, total: number): number {
  return Math.min(Math.max(1, Math.floor(asked) || 1), pageCount(total));
}

export function videoPage(videos: VideoCardData[], page: number, total: number): VideoPage {
  return { videos, page, pageCount: pageCount(total), total };
}
