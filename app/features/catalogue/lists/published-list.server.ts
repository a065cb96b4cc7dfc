import { storedValues } from "~/shared/categories";
import { type ListView, lengthRange } from "~/shared/list-view";
import { clampPage, PAGE_SIZE, videoPage } from "~/shared/pages";
import type { VideoCardData, VideoPage } from "~/shared/video-card";
import { prepared } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import { CARD_COLUMNS, type CardRow, toCard } from "./card-row.server";
import type { FilteredAnswer, FilteredQuestion } from "./filtered-list.server";
import { findRows, fromNearerEnd, type ListQuestion } from "./list-query.server";
import { publishedTotal } from "./published-total.server";

/** The public lists: queries on `videos`, so that what is hidden is on none of them at once. */

/** Rows that are passed over here; for more a thread is asked. */
const PASSED_HERE = 1_000 * PAGE_SIZE;

/** Which list, in the words of its query. */
type List = Pick<ListQuestion, "order" | "categories" | "viewed">;

/** One page of a category or of all, in an order, and of a length if asked. */
export async function listPage(
  category: string | undefined,
  { order, length }: ListView,
  asked: number,
): Promise<VideoPage> {
  const categories = category ? storedValues(category) : [];
  const { videos } = await publishedTotal(category);
  const hasOwnIndex = !length && (!category || order === "newest" || order === "views");
  if (hasOwnIndex) return page({ order, categories }, asked, videos);
  const answer = await queryThread<FilteredAnswer>("reading", "filtered-list", {
    ...{ order, categories, page: asked },
    ...(length ? { length: lengthRange(length) } : { total: videos }),
  } satisfies FilteredQuestion);
  return videoPage(cards("number", answer.numbers), answer.page, answer.total);
}

/** One page of what has views, the most viewed first, of equals the newer. */
export async function mostViewedPage(asked: number): Promise<VideoPage> {
  const { viewed } = await publishedTotal();
  return page({ order: "views", categories: [], viewed: true }, asked, viewed);
}

async function page(list: List, asked: number, total: number): Promise<VideoPage> {
  const shown = clampPage(asked, total);
  const offset = (shown - 1) * PAGE_SIZE;
  const videos = await listPart(list, total, offset);
  // While an import is being projected, there are more than the total knows of.
  return videoPage(videos, shown, Math.max(total, offset + videos.length));
}

/** At most eight cards from an offset on, found from the end of the list that is nearer. */
async function listPart(list: List, total: number, offset: number): Promise<VideoCardData[]> {
  const question: ListQuestion = { ...list, ...fromNearerEnd(offset, total) };
  const numbers =
    question.offset <= PASSED_HERE
      ? findRows(prepared, question)
      : await queryThread<number[]>("reading", "list", question);
  return cards("number", numbers);
}

/** The cards of sort keys, in their order; what isn't listed is left out. */
export function cardsAt(sortKeys: readonly bigint[]): VideoCardData[] {
  return cards("sort_key", sortKeys);
}

/** Asks each row whether it is listed, whoever found it, and however long ago. */
function cards(key: "number" | "sort_key", keys: readonly (number | bigint)[]): VideoCardData[] {
  if (keys.length === 0) return [];
  // The plus keeps the planner from walking an index of all that is published for a few numbers.
  const rows = prepared(`
    SELECT CAST(${key} AS TEXT) AS key, ${CARD_COLUMNS.join(", ")} FROM videos
    WHERE +listed AND ${key} IN (SELECT value FROM json_each(?))`).all(
    `[${keys.join(",")}]`,
  ) as (CardRow & { key: string })[];
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return keys.flatMap((each) => {
    const row = byKey.get(String(each));
    return row ? [toCard(row)] : [];
  });
}
