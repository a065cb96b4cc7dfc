import { addressLimit } from "~/platform/address-limit.server";
import { tagPath, videoPath } from "~/shared/addresses";
import { CATEGORY_IDS, type CategoryId, storedValues } from "~/shared/categories";
import { fold } from "~/shared/fold";
import { searchText } from "~/shared/search-text";
import { MAX_SUGGESTIONS, type Suggestion } from "~/shared/suggestion";
import { ensureProjected } from "~db/changes.server";
import { prepared } from "~db/client.server";
import { processState } from "~db/runtime.server";
import { queryThread } from "~db/threads/query-thread.server";
import type { MatchingTagsQuestion } from "./published-index.server";
import { publishedTotal } from "./published-list.server";
import type { NewestHitsQuestion } from "./search-hits.server";
import { findAlias } from "./tags.server";

/** Of the suggestions, so many are tags while there are titles enough. */
const MAX_TAGS = 3;
/** Newest hits among which the titles are chosen. */
const HITS_LOOKED_AT = 64;

/** A letter every 200 ms from everyone in a household; a carrier's phones share few addresses. */
const ASKED_PER_MINUTE = 1_200;
export const suggestionLimit = addressLimit("suggestions by address", ASKED_PER_MINUTE, 60);

/** More would only wait for the threads, and be of a text that has changed meanwhile. */
const MAX_QUEUED = 16;
const questions = processState("suggestions", () => ({ waiting: 0 }));

/**
 * At most 8 tags and titles of published videos that contain a text, as a search for it would find
 * them. None while more are asked for than the threads answer.
 */
export async function suggestions(
  text: string,
  category: CategoryId | undefined,
): Promise<Suggestion[]> {
  const search = searchText(text);
  const needle = fold(search);
  const asked = questions();
  if (!needle || asked.waiting >= MAX_QUEUED) return [];
  asked.waiting += 1;
  try {
    await ensureProjected();
    const [tags, titles] = await Promise.all([
      suggestedTags(needle),
      queryThread<bigint[]>("reading", "newest-hits", {
        needle,
        categories: category && storedValues(category),
        limit: HITS_LOOKED_AT,
      } satisfies NewestHitsQuestion).then((keys) => matchingTitles(keys, needle)),
    ]);
    const tagsShown = Math.max(MAX_TAGS, MAX_SUGGESTIONS - titles.length);
    return [
      ...tags.slice(0, tagsShown).map(
        (tag): Suggestion => ({
          kind: "tag",
          text: tag,
          href: tagPath(tag),
        }),
      ),
      ...titles.map(
        ({ id, title }): Suggestion => ({
          kind: "video",
          text: title,
          href: videoPath(id, { from: "home", search, category }),
        }),
      ),
    ].slice(0, MAX_SUGGESTIONS);
  } finally {
    asked.waiting -= 1;
  }
}

/** The tags with the text, and before them the one that it is another name of. */
async function suggestedTags(needle: string): Promise<string[]> {
  const matching = (text: string) =>
    queryThread<string[]>("related", "matching-tags", {
      needle: text,
      most: MAX_SUGGESTIONS,
    } satisfies MatchingTagsQuestion);
  const meant = findAlias(needle)?.tag;
  const tags = await matching(needle);
  // Only where a published video has it: else its page is none.
  const isPublished = meant !== undefined && (await matching(meant)).includes(meant);
  return isPublished ? [meant, ...tags.filter((tag) => tag !== meant)] : tags;
}

/** The titles with the text, each once: first those that begin with it, then those with such a word. */
function matchingTitles(keys: readonly bigint[], needle: string): { id: string; title: string }[] {
  const rows = prepared<{ id: string; title: string }>(`
    SELECT id, title FROM videos WHERE +listed AND sort_key IN (SELECT value FROM json_each(?)) ORDER BY +sort_key DESC`).all(
    `[${keys.join(",")}]`,
  );
  const byRank: { id: string; title: string }[][] = [[], [], []];
  const seen = new Set<string>();
  for (const row of rows) {
    const title = fold(row.title).trim();
    const at = title.indexOf(needle);
    if (at < 0 || seen.has(title)) continue;
    seen.add(title);
    byRank[at === 0 ? 0 : beginsWord(title, needle) ? 1 : 2]?.push(row);
  }
  return byRank.flat();
}

function beginsWord(title: string, needle: string): boolean {
  for (let at = title.indexOf(needle); at >= 0; at = title.indexOf(needle, at + 1)) {
    if (!/[\p{L}\p{M}\p{N}]$/u.test(title.slice(0, at))) return true;
  }
  return false;
}

/** Of the texts that come near, so many are searched for. */
const MAX_TRIED = 3;

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
  await ensureProjected();
  const question = { needle: fold(searchText(search)) };
  const texts = await queryThread<string[]>("related", "nearest-texts", question);
  for (const needle of texts.slice(0, MAX_TRIED)) {
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
