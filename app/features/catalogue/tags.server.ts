import { redirect } from "@remix-run/node";
import { tagPath } from "~/shared/addresses";
import { fold } from "~/shared/fold";
import { searchText } from "~/shared/search-text";
import { ensureProjected } from "~db/changes.server";
import { prepared } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import type { KnownTags } from "./published-index.server";

/**
 * Returns the canonical tag that a URL below /tags refers to. It is read from the raw path, because the router's
 * parameter doesn't distinguish an encoded slash from the text "%2F".
 *
 * @param pathAfter the part of the canonical URL after the tag.
 * @throws a permanent redirect for a different spelling, a temporary redirect for an alias, a 404 for text that can't
 *   be a tag.
 */
export function requestedTag(request: Request, pathAfter = ""): string {
  const { pathname, search } = new URL(request.url);
  const requested = decoded(pathname.split("/")[2] ?? "");
  const tag = requested === undefined ? undefined : canonicalTag(requested);
  if (tag === undefined || !tagPath(tag).startsWith("/tags/")) {
    throw new Response(null, { status: 404, statusText: "Not Found" });
  }
  const aliased = findAlias(tag)?.tag;
  if (aliased !== undefined) throw redirect(tagPath(aliased) + pathAfter + search, 302);
  const isCanonical = requested === tag && !(pathAfter === "" && pathname.endsWith("/"));
  if (!isCanonical) throw redirect(tagPath(tag) + pathAfter + search, 301);
  return tag;
}

/**
 * Returns the canonical form in which a tag appears in URLs: case-folded and trimmed; undefined for text that a search
 * can't find.
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

/** Returns the canonical tags of published videos, most used first. Tags without a page are left out. */
export async function publishedTags(limit: number): Promise<string[]> {
  await ensureProjected();
  let known: KnownTags;
  do known = await queryThread<KnownTags>("related", "known-tags", { limit });
  while (!known.complete);
  const tags = known.tags.flatMap((tag) => canonicalTag(tag) ?? []);
  return [...new Set(tags)].filter((tag) => tagPath(tag).startsWith("/tags/"));
}

/** Returns the tag that the case-folded text is an alias for, both case-folded and as written. */
export function findAlias(alias: string): { tag: string; label: string } | undefined {
  return prepared<{ tag: string; label: string }>(
    "SELECT tag, label FROM tag_aliases WHERE alias = ?",
  ).get(alias);
}

/** Returns the case-folded aliases of a case-folded tag. */
export function aliasesOf(tag: string): string[] {
  return prepared<string>("SELECT alias FROM tag_aliases WHERE tag = ? ORDER BY alias")
    .pluck()
    .all(tag);
}

/** Returns the tags to store. Duplicates are removed, and aliases are replaced by their tags. */
export function resolveAliases(tags: readonly string[]): string[] {
  const resolved = new Map<string, string>();
  for (const text of tags) {
    const name = findAlias(fold(text.trim()))?.label ?? text;
    if (!resolved.has(fold(name))) resolved.set(fold(name), name);
  }
  return [...resolved.values()];
}
