import { CATEGORY_IDS, type CategoryId, storedValues } from "~/shared/categories";
import { fold } from "~/shared/fold";
import { searchText } from "~/shared/search-text";
import { projected } from "~db/changes.server";
import { queryThread } from "~db/threads/query-thread.server";
import { publishedTotal } from "../lists/published-total.server";
import type { NewestHitsQuestion } from "./search-hits.server";

/** Of the texts that come near, so many are searched for. */
const TRIED_MOST = 3;

/** What is offered where a search finds nothing. */
export interface OtherSearches {
  /** A text near to what was searched for, which finds something in the same category. */
  nearest?: string;
  /** Categories with videos, those with most of them first. */
  categories: CategoryId[];
}

export async function otherSearches(
  search: string,
  category: CategoryId | undefined,
): Promise<OtherSearches> {
  return { nearest: await nearestSearch(search, category), categories: await popularCategories() };
}

async function nearestSearch(
  search: string,
  category: CategoryId | undefined,
): Promise<string | undefined> {
  await projected();
  const question = { needle: fold(searchText(search)) };
  const texts = await queryThread<string[]>("related", "nearest-texts", question);
  for (const needle of texts.slice(0, TRIED_MOST)) {
    const found = await queryThread<bigint[]>("reading", "newest-hits", {
      ...{ needle, limit: 1 },
      categories: category && storedValues(category),
    } satisfies NewestHitsQuestion);
    if (found.length > 0) return needle;
  }
  return undefined;
}

async function popularCategories(): Promise<CategoryId[]> {
  const counted = await Promise.all(
    CATEGORY_IDS.map(async (id) => ({ id, ...(await publishedTotal(id)) })),
  );
  return counted
    .filter(({ videos }) => videos > 0)
    .sort((a, b) => b.videos - a.videos)
    .map(({ id }) => id);
}
