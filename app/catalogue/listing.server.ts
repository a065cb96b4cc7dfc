import { projected } from "~db/changes.server";
import { askThread } from "~db/threads/ask-thread.server";
import { type CategoryId, storedValues } from "./categories";
import { fold } from "./fold";
import { videoPage } from "./pages";
import { cardsAt, mostViewedPage, newestPage } from "./published-list.server";
import type { SearchAnswer, SearchQuestion } from "./search-hits.server";
import { searchText } from "./search-text";
import { publishedTotal } from "./totals.server";
import type { VideoPage } from "./video-card";

export { PAGE_SIZE, pageParameter } from "./pages";
export { searchText } from "./search-text";

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
  const { total, page, sortKeys } = await askThread<SearchAnswer>("reading", "search", {
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
