import { fold } from "~/shared/fold";
import { prepared } from "~db/client.server";

/** Other names of tags. The studio writes them (`studio/tags`), and every list of tags follows. */

/** The tag, folded, that a folded text is another name of. */
export function tagOfAlias(alias: string): string | undefined {
  return prepared("SELECT tag FROM tag_aliases WHERE alias = ?").pluck().get(alias) as
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
  const label = prepared("SELECT label FROM tag_aliases WHERE alias = ?").pluck();
  const resolved = new Map<string, string>();
  for (const text of tags) {
    const name = (label.get(fold(text.trim())) as string | undefined) ?? text;
    if (!resolved.has(fold(name))) resolved.set(fold(name), name);
  }
  return [...resolved.values()];
}
