import { type CategoryId, storedValues } from "~/shared/categories";
import { fold } from "~/shared/fold";
import { videoPage } from "~/shared/pages";
import { searchText } from "~/shared/search-text";
import type { VideoPage } from "~/shared/video-card";
import { projected } from "~db/changes.server";
import { queryThread } from "~db/threads/query-thread.server";
import type { SearchAnswer, SearchQuestion } from "../search/search-hits.server";
import { cardsAt, mostViewedPage, newestPage } from "./published-list.server";
import { publishedTotal } from "./published-total.server";

export { PAGE_SIZE, pageParameter } from "~/shared/pages";
export { searchText } from "~/shared/search-text";

/**
 * One page of the published videos, newest first, of a category and with a text if asked: the text
 * occurs, folded, in the title or in any one tag.
 */
export async function listPublished(asked: {
  category?: CategoryId;
  search?: string;
  page: number;
}): Promise<VideoPage> {
  const needle = fold(searchText(asked.search));
  if (!needle) return newestPage(asked.category, asked.page);
  await projected();
  const { total, page, sortKeys } = await queryThread<SearchAnswer>("reading", "search", {
    needle,
    categories: asked.category && storedValues(asked.category),
    page: asked.page,
  } satisfies SearchQuestion);
  return videoPage(cardsAt(sortKeys), page, total);
}

/** One page of the published videos with views, most viewed first, ties to the newer. */
export function listTrending(asked: { page: number }): Promise<VideoPage> {
  return mostViewedPage(asked.page);
}

/** Whether anything at all is published; it decides between the empty messages. */
export async function hasAnyVideo(): Promise<boolean> {
  return (await publishedTotal()).videos > 0;
}
