import type { Selectable } from "kysely";
import { logUnexpected } from "~/platform/errors.server";
import { shownCategories, storedValues, toCategoryId } from "~/shared/categories";
import { fold } from "~/shared/fold";
import { storedDuration } from "~/shared/format";
import {
  AGES,
  DEFAULT_ORDER,
  DEFAULT_VIEW,
  hasFilters,
  type LengthId,
  type ListView,
  lengthRange,
} from "~/shared/list-view";
import { ownMediaPath } from "~/shared/media-path";
import { clampPage, PAGE_SIZE, videoPage } from "~/shared/pages";
import { searchNeedle } from "~/shared/search-text";
import type { VideoCardData, VideoPage } from "~/shared/video-card";
import { ensureProjected } from "~db/changes.server";
import { prepared } from "~db/client.server";
import type { VideosTable } from "~db/schema";
import { SEPARATOR } from "~db/search-index.server";
import { queryThread } from "~db/threads/query-thread.server";
import {
  type FilteredListQuery,
  type FilteredListResult,
  findRows,
  fromNearerEnd,
  type ListQuery,
  type ListOrder as UnsearchedOrder,
} from "./list-query.server";
import type { NewestHitsQuery, SearchQuery, SearchResult } from "./search-hits.server";
import type { SearchPageQuery } from "./search-pages.server";
import { aliasesOf, findAlias } from "./tags.server";
import { pendingViews } from "./views.server";

/**
 * The public lists are queries on the `videos` table, so that a hidden video disappears from all of them immediately.
 * The totals and search indexes are derived data, which `ensureProjected()` updates before they are read.
 */

/**
 * Returns the list for a page. If it can't be loaded, returns an empty list with the message to show and status 500.
 * Visitors see a reference to the log entry, never a path or an SQL statement.
 */
export async function loadList(
  request: Request,
  load: () => Promise<VideoPage>,
): Promise<{ list: VideoPage; error?: string; status: number }> {
  try {
    return { list: await load(), status: 200 };
  } catch (error) {
    return { list: videoPage([], 1, 0), error: fetchErrorMessage(error, request), status: 500 };
  }
}

/**
 * Loads the data of a video page.
 *
 * @throws any Response that `load` throws; for other errors, a 500 Response with the message to show.
 */
export async function loadVideo<Data>(request: Request, load: () => Promise<Data>): Promise<Data> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof Response) throw error;
    throw new Response(fetchErrorMessage(error, request), {
      status: 500,
      statusText: "Internal Server Error",
    });
  }
}

/** Logs a failure and returns its message (specification, section 8), with a reference to the log entry. */
function fetchErrorMessage(error: unknown, request: Request): string {
  const reference = logUnexpected(error, request);
  return reference ? `Failed to fetch videos. Reference ${reference}.` : "Failed to fetch videos.";
}

interface ListOptions {
  /** A category id or any other stored value. */
  category?: string;
  search?: string;
  view?: ListView;
  page: number;
}

/** The page of close matches, or only their total. */
interface CloseMatchOptions extends ListOptions {
  countOnly?: boolean;
}

/**
 * Returns one page of the published videos, optionally limited to a category. With search text, it contains the videos
 * that have the folded text in their title or a tag.
 */
export async function listPublished(options: ListOptions): Promise<VideoPage> {
  const { category, view = DEFAULT_VIEW, page } = options;
  const { order, length, ...filters } = view;
  const needle = searchNeedle(options.search);
  const isSimple = !hasFilters(filters) && (!needle || (!length && order === DEFAULT_ORDER));
  if (!isSimple) return searchPage(options);
  if (needle)
    return hitsPage({ needle, categories: category ? storedValues(category) : undefined, page });
  return unsearchedPage(category, order === "relevance" ? DEFAULT_ORDER : order, length, page);
}

/**
 * Returns one page of the close matches for a search: published videos that don't contain the text, but have all its
 * words in any order, or a tag that the text is an alias for; if there are none, videos that have all words but one.
 */
export async function listCloseMatches(options: CloseMatchOptions): Promise<VideoPage> {
  const needle = searchNeedle(options.search);
  if (!needle) return videoPage([], 1, 0);
  const { view = DEFAULT_VIEW } = options;
  const order = view.order === DEFAULT_ORDER ? "relevance" : view.order;
  const labels = shownCategories().map(({ id, label }) => [id, fold(label)]);
  return searchPage(
    { ...options, view: { ...view, order } },
    {
      categoryLabels: Object.fromEntries(labels),
      aliasOf: findAlias(needle)?.tag,
    },
  );
}

/** Returns one page of a list with any filters and sort order. */
async function searchPage(
  { category, search, view = DEFAULT_VIEW, page: requested, countOnly }: CloseMatchOptions,
  close?: SearchPageQuery["close"],
): Promise<VideoPage> {
  await ensureProjected();
  const { order, length, since, tags = [], not = [] } = view;
  const { total, page, sortKeys } = await queryThread<SearchResult>("reading", "search-page", {
    needle: searchNeedle(search),
    close,
    order,
    categories: category ? storedValues(category) : [],
    length: lengthRange(length),
    since: earliest(since),
    tags: tags.map(tagNeedles),
    not: not.flatMap(tagNeedles),
    page: requested,
    countOnly,
  } satisfies SearchPageQuery);
  return videoPage(cardsAt(sortKeys), page, total);
}

/** Returns the time at which a period began. It changes once a minute, so that totals can be cached. */
function earliest(since: ListView["since"]): number | undefined {
  const days = AGES.find(({ id }) => id === since)?.days;
  return days && Math.floor(Date.now() / 60_000) * 60_000 - days * 86_400_000;
}

/**
 * Returns what to find in the search index for a tag: the tag and its aliases, because other tools may have stored an
 * alias instead of the tag.
 */
function tagNeedles(name: string): string[] {
  const tag = findAlias(searchNeedle(name))?.tag ?? searchNeedle(name);
  return [tag, ...aliasesOf(tag)].map((each) => SEPARATOR + each + SEPARATOR);
}

/**
 * Returns one page of the published videos with a tag, newest first.
 *
 * @param options.tag the folded tag.
 */
export function listTagged(options: { tag: string; page: number }): Promise<VideoPage> {
  return hitsPage({ ...tagQuery(options.tag), page: options.page });
}

/**
 * Returns one page of the published videos with views, most viewed first; among videos with equal views, newest first.
 */
export async function listTrending(options: { page: number }): Promise<VideoPage> {
  const { viewed } = await publishedTotal();
  return indexedPage({ order: "views", categories: [], viewed: true }, options.page, viewed);
}

/** Returns the sort keys of the newest published videos with a canonical tag. */
export async function newestTagged(tag: string, limit: number): Promise<bigint[]> {
  await ensureProjected();
  const query: NewestHitsQuery = { ...tagQuery(tag), limit };
  return queryThread<bigint[]>("reading", "newest-hits", query);
}

/** Returns whether any video is listed in the given category or, if none is given, in any category. */
export async function hasAnyVideo(category?: string): Promise<boolean> {
  return (await publishedTotal(category)).videos > 0;
}

/**
 * Counts all listed videos and those with views, either in one category (its id, or any stored value) or in all
 * categories.
 */
export async function publishedTotal(
  category?: string,
): Promise<{ videos: number; viewed: number }> {
  await ensureProjected();
  const names = category ? JSON.stringify(storedValues(category)) : null;
  return prepared<{ videos: number; viewed: number }>(`
    SELECT coalesce(sum(videos), 0) AS videos, coalesce(sum(viewed), 0) AS viewed FROM video_totals
    WHERE listed AND (@names IS NULL OR category IN (SELECT value FROM json_each(@names)))`).get({
    names,
  })!;
}

/** Returns one page of search hits, which a query thread finds in the search index. */
async function hitsPage(query: SearchQuery): Promise<VideoPage> {
  await ensureProjected();
  const { total, page, sortKeys } = await queryThread<SearchResult>("reading", "search", query);
  return videoPage(cardsAt(sortKeys), page, total);
}

/** Returns a search query for a canonical tag. */
function tagQuery(tag: string): { needle: string; also: string[] } {
  const [needle = "", ...also] = tagNeedles(tag);
  return { needle, also };
}

async function unsearchedPage(
  category: string | undefined,
  order: UnsearchedOrder,
  length: LengthId | undefined,
  requestedPage: number,
): Promise<VideoPage> {
  const categories = category ? storedValues(category) : [];
  const { videos } = await publishedTotal(category);
  const hasOwnIndex = !length && (!category || order === "newest" || order === "views");
  if (hasOwnIndex) return indexedPage({ order, categories }, requestedPage, videos);
  const result = await queryThread<FilteredListResult>("reading", "filtered-list", {
    ...{ order, categories, page: requestedPage },
    ...(length ? { length: lengthRange(length) } : { total: videos }),
  } satisfies FilteredListQuery);
  return videoPage(cards("number", result.numbers), result.page, result.total);
}

/** The maximum number of index rows to skip on this thread. If more rows must be skipped, a query thread is used. */
const MAX_SKIPPED_HERE = 1_000 * PAGE_SIZE;

/** Returns one page of a list whose order matches an index. */
async function indexedPage(
  list: Pick<ListQuery, "order" | "categories" | "viewed">,
  requestedPage: number,
  total: number,
): Promise<VideoPage> {
  const page = clampPage(requestedPage, total);
  const offset = (page - 1) * PAGE_SIZE;
  const query: ListQuery = { ...list, ...fromNearerEnd(offset, total) };
  const numbers =
    query.offset <= MAX_SKIPPED_HERE
      ? findRows(prepared, query)
      : await queryThread<number[]>("reading", "list", query);
  const videos = cards("number", numbers);
  // During an import, the list may already contain videos that aren't included in the total.
  return videoPage(videos, page, Math.max(total, offset + videos.length));
}

/** Returns the cards for the given sort keys, in the same order. Videos that aren't listed are left out. */
export function cardsAt(sortKeys: readonly bigint[]): VideoCardData[] {
  return cards("sort_key", sortKeys);
}

/**
 * Returns the cards for the rows with the given keys. The keys may be outdated, so videos that are no longer listed are
 * left out.
 */
function cards(key: "number" | "sort_key", keys: readonly (number | bigint)[]): VideoCardData[] {
  if (keys.length === 0) return [];
  // The unary plus keeps the planner from scanning the index of all published videos to find a few keys.
  const rows = prepared<CardRow & { key: string }>(`
    SELECT CAST(${key} AS TEXT) AS key, ${CARD_COLUMNS.join(", ")} FROM videos
    WHERE +listed AND ${key} IN (SELECT value FROM json_each(?))`).all(`[${keys.join(",")}]`);
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return keys.flatMap((each) => {
    const row = byKey.get(String(each));
    return row ? [toCard(row)] : [];
  });
}

/** The columns that a card needs. Columns that can contain long text aren't included. */
export const CARD_COLUMNS = [
  "id",
  "title",
  "category",
  "duration",
  "views",
  "created_at",
  "thumbnail_url",
  "poster_colors",
  "video_url",
  "preview_url",
] as const;

export type CardRow = Pick<Selectable<VideosTable>, (typeof CARD_COLUMNS)[number]>;

/**
 * Returns the data that a card shows for a row. Legacy categories are replaced by the current ones, only files on this
 * site are included, and the view count includes views that haven't been written to the database yet.
 */
export function toCard(row: CardRow): VideoCardData {
  const clip = ownMediaPath(row.preview_url);
  return {
    id: row.id,
    title: row.title,
    category: toCategoryId(row.category) ?? row.category,
    duration: storedDuration(row.duration),
    views: row.views + pendingViews(row.id),
    createdAt: row.created_at,
    thumbnailUrl: ownMediaPath(row.thumbnail_url) ?? null,
    ...(isColors(row.poster_colors) && { posterColors: row.poster_colors }),
    previewUrl: clip ?? ownMediaPath(row.video_url) ?? "",
    ...(clip && { previewIsClip: true }),
  };
}

/** Validates the column, because other tools may have written anything to it. */
function isColors(text: string | null): text is string {
  return text !== null && /^[0-9a-f]{24}$/.test(text);
}
