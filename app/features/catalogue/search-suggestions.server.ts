import { addressLimit } from "~/platform/address-limit.server";
import { tagPath, videoPath } from "~/shared/addresses";
import { CATEGORY_IDS, type CategoryId, storedValues } from "~/shared/categories";
import { fold } from "~/shared/fold";
import { searchNeedle, searchText } from "~/shared/search-text";
import { MAX_SUGGESTIONS, type Suggestion } from "~/shared/suggestion";
import { ensureProjected } from "~db/changes.server";
import { prepared } from "~db/client.server";
import { processState } from "~db/runtime.server";
import { queryThread } from "~db/threads/query-thread.server";
import type { MatchingTagsQuery } from "./published-index.server";
import { publishedTotal } from "./published-list.server";
import type { NewestHitsQuery } from "./search-hits.server";
import { findAlias, namesOf } from "./tags.server";

/** The maximum number of tags among the suggestions. If there are too few titles, more tags are included. */
const MAX_TAGS = 3;
/** The number of newest hits to choose the titles from. */
const MAX_HITS_CHECKED = 64;
/** A tag is suggested in the spelling of its newest videos, because counting all of its videos would take too long. */
const VIDEOS_NAMING_A_TAG = 20;

/**
 * Allows several people behind one IP address to type a character every 200 ms. Mobile carriers put many phones behind a
 * few addresses.
 */
const REQUESTS_PER_MINUTE = 1_200;
export const suggestionLimit = addressLimit("suggestions by address", REQUESTS_PER_MINUTE, 60);

/**
 * The maximum number of pending requests. Further requests would have to wait for the threads, and their results would
 * come too late.
 */
const MAX_QUEUED = 16;
const pendingRequests = processState("suggestions", () => ({ count: 0 }));

/**
 * Returns at most 8 tags and titles of published videos that contain the given text. The text is matched in the same
 * way as in a search. Returns an empty list while the threads are overloaded.
 */
export async function suggestions(
  text: string,
  category: CategoryId | undefined,
): Promise<Suggestion[]> {
  const search = searchText(text);
  const needle = searchNeedle(text);
  const pending = pendingRequests();
  if (!needle || pending.count >= MAX_QUEUED) return [];
  pending.count += 1;
  try {
    await ensureProjected();
    const [tags, titles] = await Promise.all([
      suggestedTags(needle),
      queryThread<bigint[]>("reading", "newest-hits", {
        needle,
        categories: category && storedValues(category),
        limit: MAX_HITS_CHECKED,
      } satisfies NewestHitsQuery).then((keys) => matchingTitles(keys, needle)),
    ]);
    const named = await namesOf({ tags, newest: VIDEOS_NAMING_A_TAG });
    const names = named.filter((name) => name !== undefined);
    const tagsShown = Math.max(MAX_TAGS, MAX_SUGGESTIONS - titles.length);
    return [
      ...names
        .slice(0, tagsShown)
        .map((name): Suggestion => ({ kind: "tag", text: name, href: tagPath(name) })),
      ...titles.map(
        ({ id, title }): Suggestion => ({
          kind: "video",
          text: title,
          href: videoPath(id, { from: "home", search, category }),
        }),
      ),
    ].slice(0, MAX_SUGGESTIONS);
  } finally {
    pending.count -= 1;
  }
}

/** Returns the tags that contain the text. If the text is an alias of a tag, that tag comes first. */
async function suggestedTags(needle: string): Promise<string[]> {
  const matching = (text: string) =>
    queryThread<string[]>("related", "matching-tags", {
      needle: text,
      limit: MAX_SUGGESTIONS,
    } satisfies MatchingTagsQuery);
  const aliased = findAlias(needle)?.tag;
  const tags = await matching(needle);
  // Included only if a published video has the tag; otherwise the tag's page doesn't exist.
  const isPublished = aliased !== undefined && (await matching(aliased)).includes(aliased);
  return isPublished ? [aliased, ...tags.filter((tag) => tag !== aliased)] : tags;
}

/**
 * Returns the unique titles that contain the text: first those that begin with the text, then those in which a word
 * begins with it.
 */
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

/** The maximum number of similar search strings to try. */
const MAX_CANDIDATES = 3;

/** Suggestions for a search without results. */
export interface AlternativeSearches {
  /** A similar search string with results in the same category. */
  nearest?: string;
  /** Categories with videos, largest first. */
  categories: CategoryId[];
}

export async function alternativeSearches(
  search: string,
  category: CategoryId | undefined,
): Promise<AlternativeSearches> {
  return { nearest: await nearestSearch(search, category), categories: await popularCategories() };
}

async function nearestSearch(
  search: string,
  category: CategoryId | undefined,
): Promise<string | undefined> {
  await ensureProjected();
  const query = { needle: searchNeedle(search) };
  const texts = await queryThread<string[]>("related", "nearest-texts", query);
  for (const needle of texts.slice(0, MAX_CANDIDATES)) {
    const found = await queryThread<bigint[]>("reading", "newest-hits", {
      ...{ needle, limit: 1 },
      categories: category && storedValues(category),
    } satisfies NewestHitsQuery);
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
