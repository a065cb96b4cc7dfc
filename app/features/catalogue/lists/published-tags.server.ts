import { tagPath } from "~/shared/addresses";
import { projected } from "~db/changes.server";
import { queryThread } from "~db/threads/query-thread.server";
import type { KnownTags } from "../related/known-tags.server";
import { canonicalTag } from "./listing.server";

/** The canonical tags of published videos that have a list of their own, the most used first. */
export async function publishedTags(most: number): Promise<string[]> {
  await projected();
  let known: KnownTags;
  do known = await queryThread<KnownTags>("related", "known-tags", { most });
  while (!known.complete);
  const tags = known.tags.flatMap((tag) => canonicalTag(tag) ?? []);
  return [...new Set(tags)].filter((tag) => tagPath(tag).startsWith("/tags/"));
}
