import { settings } from "~/server/settings.server";
import type { CategoryId } from "./categories";
import { fold } from "./fold";
import { videoPage } from "./pages";
import {
  cardsAt,
  categoryCode,
  mostViewedPage,
  newestPage,
  publishedTotal,
} from "./published-list.server";
import { searchText } from "./search-text";
import { askThread } from "./threads.server";
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
  const { total, page, places } = await askThread("search", {
    file: settings().databasePath,
    needle,
    category: asked.category && categoryCode(asked.category),
    page: asked.page,
  });
  return videoPage(await cardsAt(places), page, total);
}

/** One page of the published videos with views, most viewed first, ties to the newer. */
export function listTrending(asked: { page: number }): Promise<VideoPage> {
  return mostViewedPage(asked.page);
}

/** Whether anything at all is published; it decides between the empty messages. */
export async function hasAnyVideo(): Promise<boolean> {
  return (await publishedTotal()) > 0;
}
