import type { Selectable } from "kysely";
import { logUnexpected } from "~/platform/errors.server";
import { storedValues, toCategoryId } from "~/shared/categories";
import { fold } from "~/shared/fold";
import { storedDuration } from "~/shared/format";
import { DEFAULT_VIEW, type ListView, lengthRange } from "~/shared/list-view";
import { ownMediaPath } from "~/shared/media-path";
import { clampPage, PAGE_SIZE, videoPage } from "~/shared/pages";
import { searchText } from "~/shared/search-text";
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
} from "./list-query.server";
import type { NewestHitsQuery, SearchQuery, SearchResult } from "./search-hits.server";
import { aliasesOf, findAlias } from "./tags.server";
import { pendingViews } from "./views.server";

/**
 * The public lists are queries on the `videos` table, so that a hidden video disappears from all of them immediately.
 * The totals and search indexes are derived data, which `ensureProjected()` updates before they are read.
 */

/**
 * Returns a list for its page or, if the list can't be loaded, an empty one with the message to show and the status
 * 500. Visitors see a reference to the log entry, never a path or an SQL statement.
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

/** Logs a failure. Returns the message for it (specification, section 8), with a reference to the log entry. */
function fetchErrorMessage(error: unknown, request: Request): string {
  const reference = logUnexpected(error, request);
  return reference ? `Failed to fetch videos. Reference ${reference}.` : "Failed to fetch videos.";
}

/**
 * Returns one page of the published videos, optionally limited to a category. With search text, it contains the videos
 * that have the case-folded text in their title or a tag, newest first. Without search text, any sort order and length
 * can be requested.
 */
export async function listPublished(options: {
  /** A category id or any other stored value. */
  category?: string;
  search?: string;
  view?: ListView;
  page: number;
}): Promise<VideoPage> {
  const { category, view = DEFAULT_VIEW, page } = options;
  const needle = fold(searchText(options.search));
  const categories = category ? storedValues(category) : undefined;
  if (needle) return hitsPage({ needle, categories, page });
  return unsearchedPage(category, view, page);
}

/**
 * Returns one page of the published videos with a tag, newest first.
 *
 * @param options.tag the case-folded tag, see `canonicalTag`.
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

/** Videos that match a search only because the search text is an alias of one of their tags. */
export interface CloseMatches {
  /** The tag as stored. */
  tag: string;
  /** The newest videos, at most one page. */
  videos: VideoCardData[];
}

/** Returns what to show below the exact results of a search; undefined if there is nothing. */
export async function closeMatches(options: {
  category?: string;
  search: string;
}): Promise<CloseMatches | undefined> {
  const needle = fold(searchText(options.search));
  const meant = findAlias(needle);
  if (meant === undefined) return undefined;
  await ensureProjected();
  const sortKeys = await queryThread<bigint[]>("reading", "newest-hits", {
    ...tagQuery(meant.tag),
    without: needle,
    categories: options.category ? storedValues(options.category) : undefined,
    limit: PAGE_SIZE,
  } satisfies NewestHitsQuery);
  const videos = cardsAt(sortKeys);
  return videos.length > 0 ? { tag: meant.label, videos } : undefined;
}

/** Returns the sort keys of the newest published videos with a canonical tag. */
export async function newestTagged(tag: string, limit: number): Promise<bigint[]> {
  await ensureProjected();
  const query: NewestHitsQuery = { ...tagQuery(tag), limit };
  return queryThread<bigint[]>("reading", "newest-hits", query);
}

/** Returns whether any video is listed, in the given category or in all of them. */
export async function hasAnyVideo(category?: string): Promise<boolean> {
  return (await publishedTotal(category)).videos > 0;
}

/**
 * Counts all listed videos and those with views, either in one category (its id, or any stored value) or in all of
 * them.
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

/** Returns a search query for the tag and its aliases, which other tools may have written. */
function tagQuery(tag: string): { needle: string; also: string[] } {
  const needle = (name: string) => SEPARATOR + name + SEPARATOR;
  return { needle: needle(tag), also: aliasesOf(tag).map(needle) };
}

async function unsearchedPage(
  category: string | undefined,
  { order, length }: ListView,
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

/** The maximum number of index rows to skip on this thread. For more, a query thread is used. */
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

/** Returns the cards for sort keys, in the same order. Videos that aren't listed are left out. */
export function cardsAt(sortKeys: readonly bigint[]): VideoCardData[] {
  return cards("sort_key", sortKeys);
}

/** Returns the cards of the rows that are still listed, however old the search result is. */
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

/** The columns that a card needs, without the columns that hold long text. */
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
 * Returns the data that a card shows for a row: the current category, only files on this site, and views including
 * those not yet written.
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
