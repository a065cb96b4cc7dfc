import { redirect } from "@remix-run/node";
import { tagPath } from "~/shared/addresses";
import { fold } from "~/shared/fold";
import { searchText } from "~/shared/search-text";
import { ensureProjected } from "~db/changes.server";
import { prepared } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import type { KnownTags } from "./published-index.server";

/**
 * The canonical tag that an address below /tags asks for. The path is read as it came: the router's
 * parameter does not tell an encoded slash from the text "%2F".
 *
 * @param pathAfter what follows the tag in its canonical address.
 * @throws a permanent redirect for another spelling, a temporary one for another name of a tag, a 404 for
 *   a text that is no tag.
 */
export function askedTag(request: Request, pathAfter = ""): string {
  const { pathname, search } = new URL(request.url);
  const asked = decoded(pathname.split("/")[2] ?? "");
  const tag = asked === undefined ? undefined : canonicalTag(asked);
  if (tag === undefined || !tagPath(tag).startsWith("/tags/")) {
    throw new Response(null, { status: 404, statusText: "Not Found" });
  }
  const meant = findAlias(tag)?.tag;
  if (meant !== undefined) throw redirect(tagPath(meant) + pathAfter + search, 302);
  const isCanonical = asked === tag && !(pathAfter === "" && pathname.endsWith("/"));
  if (!isCanonical) throw redirect(tagPath(tag) + pathAfter + search, 301);
  return tag;
}

/**
 * The form of a tag under which its list stands: folded, without the spaces around it; undefined for
 * a text that no list can be found by.
 */
function canonicalTag(tag: string): string | undefined {
  const name = searchText(tag);
  return name === tag.trim() && name !== "" ? fold(name) : undefined;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The canonical tags of published videos that have a list of their own, the most used first. */
export async function publishedTags(most: number): Promise<string[]> {
  await ensureProjected();
  let known: KnownTags;
  do known = await queryThread<KnownTags>("related", "known-tags", { most });
  while (!known.complete);
  const tags = known.tags.flatMap((tag) => canonicalTag(tag) ?? []);
  return [...new Set(tags)].filter((tag) => tagPath(tag).startsWith("/tags/"));
}

/** The tag that a folded text is another name of, folded and as it is written; the studio gives tags such names. */
export function findAlias(alias: string): { tag: string; label: string } | undefined {
  return prepared<{ tag: string; label: string }>(
    "SELECT tag, label FROM tag_aliases WHERE alias = ?",
  ).get(alias);
}

/** The other names of a folded tag, folded. */
export function aliasesOf(tag: string): string[] {
  return prepared<string>("SELECT alias FROM tag_aliases WHERE tag = ? ORDER BY alias")
    .pluck()
    .all(tag);
}

/** Tags as they are to be stored: those that are another name by the tag that is meant, each once. */
export function resolveAliases(tags: readonly string[]): string[] {
  const resolved = new Map<string, string>();
  for (const text of tags) {
    const name = findAlias(fold(text.trim()))?.label ?? text;
    if (!resolved.has(fold(name))) resolved.set(fold(name), name);
  }
  return [...resolved.values()];
}
