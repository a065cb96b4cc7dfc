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
  type FilteredAnswer,
  type FilteredQuestion,
  findRows,
  fromNearerEnd,
  type ListQuestion,
} from "./list-query.server";
import type { NewestHitsQuestion, SearchAnswer, SearchQuestion } from "./search-hits.server";
import { aliasesOf, findAlias } from "./tags.server";
import { pendingViews } from "./views.server";

/**
 * The public lists: queries on `videos`, so that a hidden video leaves all of them immediately. Totals and
 * search indexes are derived data, which `ensureProjected()` brings up to date before they are read.
 */

/**
 * Returns a list for its page; or, where it can't be read, an empty one with the message to show instead and
 * the status 500. Visitors see a reference to the log entry, never a path or a statement.
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
 * Reads what the page of one video shows.
 *
 * @throws what `load` throws as a Response; for any other failure a 500 Response with the message to show.
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

/** Logs a failure. Returns the message for it (specification, section 8), with a reference to the log. */
function fetchErrorMessage(error: unknown, request: Request): string {
  const reference = logUnexpected(error, request);
  return reference ? `Failed to fetch videos. Reference ${reference}.` : "Failed to fetch videos.";
}

/**
 * Returns one page of the published videos, of a category if given. With a search text: those with the folded
 * text in the title or in a tag, the newest first. Without one: in any order and of any length.
 */
export async function listPublished(asked: {
  /** An id, or any stored value. */
  category?: string;
  search?: string;
  view?: ListView;
  page: number;
}): Promise<VideoPage> {
  const { category, view = DEFAULT_VIEW, page } = asked;
  const needle = fold(searchText(asked.search));
  const categories = category ? storedValues(category) : undefined;
  if (needle) return hitsPage({ needle, categories, page });
  return unsearchedPage(category, view, page);
}

/**
 * Returns one page of the published videos with a tag, newest first.
 *
 * @param asked.tag folded, see `canonicalTag`.
 */
export function listTagged(asked: { tag: string; page: number }): Promise<VideoPage> {
  return hitsPage({ ...tagQuestion(asked.tag), page: asked.page });
}

/** Returns one page of the published videos with views, most viewed first, ties to the newer. */
export async function listTrending(asked: { page: number }): Promise<VideoPage> {
  const { viewed } = await publishedTotal();
  return indexedPage({ order: "views", categories: [], viewed: true }, asked.page, viewed);
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
  const meant = findAlias(needle);
  if (meant === undefined) return undefined;
  await ensureProjected();
  const sortKeys = await queryThread<bigint[]>("reading", "newest-hits", {
    ...tagQuestion(meant.tag),
    without: needle,
    categories: asked.category ? storedValues(asked.category) : undefined,
    limit: PAGE_SIZE,
  } satisfies NewestHitsQuestion);
  const videos = cardsAt(sortKeys);
  return videos.length > 0 ? { tag: meant.label, videos } : undefined;
}

/** The sort keys of the newest published videos with a canonical tag. */
export async function newestTagged(tag: string, limit: number): Promise<bigint[]> {
  await ensureProjected();
  const question: NewestHitsQuestion = { ...tagQuestion(tag), limit };
  return queryThread<bigint[]>("reading", "newest-hits", question);
}

/** Whether anything is listed, of a stored category or at all. */
export async function hasAnyVideo(category?: string): Promise<boolean> {
  return (await publishedTotal(category)).videos > 0;
}

/** Counts the listed videos, of a category (its id, or any stored value) or of all, and those with views among them. */
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

/** One page of the hits of a search, which a thread finds in the search index. */
async function hitsPage(question: SearchQuestion): Promise<VideoPage> {
  await ensureProjected();
  const { total, page, sortKeys } = await queryThread<SearchAnswer>("reading", "search", question);
  return videoPage(cardsAt(sortKeys), page, total);
}

/** Searches for the tag, or one of its other names, which other programs may have written. */
function tagQuestion(tag: string): { needle: string; also: string[] } {
  const needle = (name: string) => SEPARATOR + name + SEPARATOR;
  return { needle: needle(tag), also: aliasesOf(tag).map(needle) };
}

async function unsearchedPage(
  category: string | undefined,
  { order, length }: ListView,
  asked: number,
): Promise<VideoPage> {
  const categories = category ? storedValues(category) : [];
  const { videos } = await publishedTotal(category);
  const hasOwnIndex = !length && (!category || order === "newest" || order === "views");
  if (hasOwnIndex) return indexedPage({ order, categories }, asked, videos);
  const answer = await queryThread<FilteredAnswer>("reading", "filtered-list", {
    ...{ order, categories, page: asked },
    ...(length ? { length: lengthRange(length) } : { total: videos }),
  } satisfies FilteredQuestion);
  return videoPage(cards("number", answer.numbers), answer.page, answer.total);
}

/** Rows of an index that are skipped on this thread; for more a query thread is asked. */
const MAX_SKIPPED_HERE = 1_000 * PAGE_SIZE;

/** One page of a list that is in the order of an index. */
async function indexedPage(
  list: Pick<ListQuestion, "order" | "categories" | "viewed">,
  asked: number,
  total: number,
): Promise<VideoPage> {
  const page = clampPage(asked, total);
  const offset = (page - 1) * PAGE_SIZE;
  const question: ListQuestion = { ...list, ...fromNearerEnd(offset, total) };
  const numbers =
    question.offset <= MAX_SKIPPED_HERE
      ? findRows(prepared, question)
      : await queryThread<number[]>("reading", "list", question);
  const videos = cards("number", numbers);
  // While an import is being projected, there are more than the total knows of.
  return videoPage(videos, page, Math.max(total, offset + videos.length));
}

/** The cards of sort keys, in their order; what isn't listed is left out. */
export function cardsAt(sortKeys: readonly bigint[]): VideoCardData[] {
  return cards("sort_key", sortKeys);
}

/** Checks each row for whether it is listed, whoever found it, and however long ago. */
function cards(key: "number" | "sort_key", keys: readonly (number | bigint)[]): VideoCardData[] {
  if (keys.length === 0) return [];
  // The plus keeps the planner from walking an index of all that is published for a few numbers.
  const rows = prepared<CardRow & { key: string }>(`
    SELECT CAST(${key} AS TEXT) AS key, ${CARD_COLUMNS.join(", ")} FROM videos
    WHERE +listed AND ${key} IN (SELECT value FROM json_each(?))`).all(`[${keys.join(",")}]`);
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return keys.flatMap((each) => {
    const row = byKey.get(String(each));
    return row ? [toCard(row)] : [];
  });
}

/** The columns that a card needs; the long ones stay where they are. */
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

/** Returns what a card shows of a row: today's category, our own files only, and views counted up to now. */
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

/** Any tool may have written the column. */
function isColors(text: string | null): text is string {
  return text !== null && /^[0-9a-f]{24}$/.test(text);
}
