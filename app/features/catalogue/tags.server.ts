import { redirect } from "@remix-run/node";
import { tagPath } from "~/shared/addresses";
import { fold } from "~/shared/fold";
import { searchNeedle, searchText } from "~/shared/search-text";
import { ensureProjected } from "~db/changes.server";
import { prepared } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import type { TagNamesQuery } from "./tag-names.server";

/** A tag in a URL. */
export interface RequestedTag {
  /** Folded. */
  tag: string;
  /** The spelling of most of its videos; the requested one if there are no videos. */
  name: string;
}

/**
 * Returns the tag that a URL below /tags refers to. It is read from the raw path, because the router's parameter doesn't
 * distinguish an encoded slash from the text "%2F".
 *
 * @param pathAfter the part of the canonical URL after the tag.
 * @throws a temporary redirect for an alias or for a spelling that fewer videos have, a permanent one for a trailing
 *   slash, a 404 for text that can't be a tag.
 */
export async function requestedTag(request: Request, pathAfter = ""): Promise<RequestedTag> {
  const { pathname, search } = new URL(request.url);
  const requested = decoded(pathname.split("/")[2] ?? "");
  const tag = requested === undefined ? undefined : toTag(requested);
  if (requested === undefined || tag === undefined || !hasPage(requested)) {
    throw new Response(null, { status: 404, statusText: "Not Found" });
  }
  const to = (name: string) => tagPath(name) + pathAfter + search;
  const aliased = findAlias(tag)?.tag;
  const [name] = await namesOf({ tags: [aliased ?? tag] });
  if (aliased !== undefined) throw redirect(to(name ?? aliased), 302);
  if (name !== undefined && name !== requested) throw redirect(to(name), 302);
  if (pathAfter === "" && pathname.endsWith("/")) throw redirect(to(requested), 301);
  return { tag, name: name ?? requested };
}

/** Returns the folded form of a tag; undefined for text that a search can't find. */
function toTag(name: string): string | undefined {
  const text = searchText(name);
  return text === name.trim() ? searchNeedle(text) || undefined : undefined;
}

function hasPage(name: string): boolean {
  return tagPath(name).startsWith("/tags/");
}

/** Returns the name of each tag; undefined for a tag that no listed video has. */
export async function namesOf(query: TagNamesQuery): Promise<(string | undefined)[]> {
  await ensureProjected();
  const names = await queryThread<(string | null)[]>("reading", "tag-names", query);
  return names.map((name) => (name !== null && hasPage(name) ? name : undefined));
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Returns the names of the tags of published videos, most used first. Tags without a page are left out. */
export async function publishedTags(limit: number): Promise<string[]> {
  const names = await queryThread<string[]>("studio", "all-tag-names", { limit });
  return names.filter((name) => toTag(name) !== undefined && hasPage(name));
}

/** If the folded text is an alias, returns its tag, both folded and as written. */
export function findAlias(alias: string): { tag: string; label: string } | undefined {
  return prepared<{ tag: string; label: string }>(
    "SELECT tag, label FROM tag_aliases WHERE alias = ?",
  ).get(alias);
}

/** Returns the folded aliases of a folded tag. */
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
