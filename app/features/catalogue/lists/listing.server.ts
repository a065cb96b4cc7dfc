import { storedValues } from "~/shared/categories";
import { fold } from "~/shared/fold";
import { DEFAULT_VIEW, type ListView } from "~/shared/list-view";
import { PAGE_SIZE, videoPage } from "~/shared/pages";
import { searchText } from "~/shared/search-text";
import type { VideoCardData, VideoPage } from "~/shared/video-card";
import { projected } from "~db/changes.server";
import { SEPARATOR } from "~db/search-index.server";
import { queryThread } from "~db/threads/query-thread.server";
import type {
  NewestHitsQuestion,
  SearchAnswer,
  SearchQuestion,
} from "../search/search-hits.server";
import { cardsAt, listPage, mostViewedPage } from "./published-list.server";
import { publishedTotal } from "./published-total.server";
import { aliasesOf, labelOfAlias, tagOfAlias } from "./tag-aliases.server";

export { PAGE_SIZE, pageParameter } from "~/shared/pages";
export { searchText } from "~/shared/search-text";

/**
 * One page of the published videos of a category if asked. With a text, the newest first: it occurs,
 * folded, in the title or in any one tag. Without one, in any order and of any length.
 */
export async function listPublished(asked: {
  /** An id, or any stored value. */
  category?: string;
  search?: string;
  view?: ListView;
  page: number;
}): Promise<VideoPage> {
  const needle = fold(searchText(asked.search));
  if (!needle) return listPage(asked.category, asked.view ?? DEFAULT_VIEW, asked.page);
  const categories = asked.category ? storedValues(asked.category) : undefined;
  return hitsPage({ needle, categories, page: asked.page });
}

/** Videos that a search doesn't find exactly, because its text is another name of their tag. */
export interface CloseMatches {
  /** As it is stored. */
  tag: string;
  /** The newest, one page at most. */
  videos: VideoCardData[];
}

/** Returns what to show below the exact result of a search; undefined if there is nothing. */
export async function closeMatches(asked: {
  category?: string;
  search: string;
}): Promise<CloseMatches | undefined> {
  const needle = fold(searchText(asked.search));
  const meant = tagOfAlias(needle);
  if (meant === undefined) return undefined;
  await projected();
  const sortKeys = await queryThread<bigint[]>("reading", "newest-hits", {
    ...tagQuestion(meant),
    without: needle,
    categories: asked.category ? storedValues(asked.category) : undefined,
    limit: PAGE_SIZE,
  } satisfies NewestHitsQuestion);
  const videos = cardsAt(sortKeys);
  return videos.length > 0 ? { tag: labelOfAlias(needle) ?? meant, videos } : undefined;
}

/**
 * One page of the published videos with a tag, newest first.
 *
 * @param asked.tag folded, see {@link canonicalTag}.
 */
export function listTagged(asked: { tag: string; page: number }): Promise<VideoPage> {
  return hitsPage({ ...tagQuestion(asked.tag), page: asked.page });
}

/** The sort keys of the newest published videos with a canonical tag. */
export async function newestTagged(tag: string, limit: number): Promise<bigint[]> {
  await projected();
  const question: NewestHitsQuestion = { ...tagQuestion(tag), limit };
  return queryThread<bigint[]>("reading", "newest-hits", question);
}

/** The tag, or one of its other names, which other programs may have written. */
function tagQuestion(tag: string): { needle: string; also: string[] } {
  return { needle: tagNeedle(tag), also: aliasesOf(tag).map(tagNeedle) };
}

function tagNeedle(tag: string): string {
  return SEPARATOR + tag + SEPARATOR;
}

async function hitsPage(question: SearchQuestion): Promise<VideoPage> {
  await projected();
  const { total, page, sortKeys } = await queryThread<SearchAnswer>("reading", "search", question);
  return videoPage(cardsAt(sortKeys), page, total);
}

/**
 * The form of a tag under which its list stands: folded, without the spaces around it; undefined for
 * a text that no list can be found by.
 */
export function canonicalTag(tag: string): string | undefined {
  const name = searchText(tag);
  return name === tag.trim() && name !== "" ? fold(name) : undefined;
}

/** One page of the published videos with views, most viewed first, ties to the newer. */
export function listTrending(asked: { page: number }): Promise<VideoPage> {
  return mostViewedPage(asked.page);
}

/** Whether anything is listed, of a stored category or at all. */
export async function hasAnyVideo(category?: string): Promise<boolean> {
  return (await publishedTotal(category)).videos > 0;
}
