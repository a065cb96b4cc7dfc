import { fold } from "~/shared/fold";
import { prepared } from "~db/client.server";

/** Other names of tags. The studio writes them (`features/library/tags`), and every list of tags follows. */

/** The tag, folded, that a folded text is another name of. */
export function tagOfAlias(alias: string): string | undefined {
  return prepared("SELECT tag FROM tag_aliases WHERE alias = ?").pluck().get(alias) as
    | string
    | undefined;
}

/** How the tag is written that a folded text is another name of. */
export function labelOfAlias(alias: string): string | undefined {
  return prepared("SELECT label FROM tag_aliases WHERE alias = ?").pluck().get(alias) as
    | string
    | undefined;
}

/** The other names of a folded tag, folded. */
export function aliasesOf(tag: string): string[] {
  return prepared("SELECT alias FROM tag_aliases WHERE tag = ? ORDER BY alias")
    .pluck()
    .all(tag) as string[];
}

/** Tags as they are to be stored: those that are another name by the tag that is meant, each once. */
export function resolveAliases(tags: readonly string[]): string[] {
  const resolved = new Map<string, string>();
  for (const text of tags) {
    const name = labelOfAlias(fold(text.trim())) ?? text;
    if (!resolved.has(fold(name))) resolved.set(fold(name), name);
  }
  return [...resolved.values()];
}
