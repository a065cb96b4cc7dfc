import { changeAndRecord } from "~/platform/activity/activity.server";
import { fold } from "~/shared/fold";
import { check, firstMessage, tags as tagList } from "~/shared/video-fields";
import { PUBLIC_CHANGE } from "~db/catalogue-version";
import { prepared } from "~db/client.server";
import type { TagAliasesTable as Alias } from "~db/schema/catalogue";

const MAX_ALIASES = 50;

/**
 * Moves the aliases of changed tags to the target, within the change's transaction.
 *
 * @returns the previous rows, for {@link restoreAliases}.
 */
export function moveAliases(
  tags: readonly string[],
  target: string | null,
  keepsAsAliases: boolean,
): Alias[] {
  const targetTag = target === null ? null : fold(target);
  const list = JSON.stringify(tags);
  const affected = prepared<Alias>(
    `SELECT alias, tag, label FROM tag_aliases WHERE tag IN (SELECT value FROM json_each(@list))
       OR alias IN (SELECT value FROM json_each(@list)) OR alias = @targetTag OR tag = @targetTag`,
  ).all({ list, targetTag });
  removeAliases(affected.map(({ alias }) => alias));
  if (targetTag !== null && target !== null) {
    const names = new Set(affected.map(({ alias }) => alias));
    if (keepsAsAliases) for (const tag of tags) names.add(tag);
    else for (const tag of tags) names.delete(tag);
    names.delete(targetTag);
    for (const alias of names) insertAlias({ alias, tag: targetTag, label: target });
  }
  changeVersion();
  return affected;
}

/** Undoes {@link moveAliases}. */
export function restoreAliases(tags: readonly string[], before: readonly Alias[]): void {
  removeAliases([...tags, ...before.map(({ alias }) => alias)]);
  for (const alias of before) insertAlias(alias);
  changeVersion();
}

/**
 * Sets a tag's aliases, which are separated by commas.
 *
 * @param isUsed returns whether any videos are tagged with an alias. An alias that is in use as a tag has to be merged
 *   instead.
 * @returns an error message, or undefined.
 */
export async function setAliases(
  { tag, name }: { tag: string; name: string },
  text: string,
  isUsed: (alias: string) => Promise<boolean>,
  userId: string,
): Promise<string | undefined> {
  const checked = check(tagList, text);
  if (!checked.ok) return firstMessage(checked);
  const aliases = [...new Set(checked.value.map((each) => fold(each)))];
  if (aliases.length > MAX_ALIASES) return `A tag can have at most ${MAX_ALIASES} aliases.`;
  if (aliases.includes(tag))
    return "A tag can’t be an alias of itself. Tags aren’t case-sensitive.";
  for (const alias of aliases) {
    const owner = prepared<Alias>("SELECT tag, label FROM tag_aliases WHERE alias = ?").get(alias);
    if (owner && owner.tag !== tag) return `“${alias}” is already an alias of “${owner.label}”.`;
    if (prepared("SELECT 1 FROM tag_aliases WHERE tag = ?").get(alias)) {
      return `“${alias}” has aliases of its own. Merge it into this tag instead.`;
    }
    if (!owner && (await isUsed(alias))) {
      return `“${alias}” is a tag in use. Merge it into this tag instead.`;
    }
  }
  await changeAndRecord({ userId, action: "tag-aliases", detail: name }, () => {
    prepared("DELETE FROM tag_aliases WHERE tag = ?").run(tag);
    for (const alias of aliases) insertAlias({ alias, tag, label: name });
    changeVersion();
  });
  return undefined;
}

function insertAlias(alias: Alias): void {
  prepared(
    "INSERT OR REPLACE INTO tag_aliases (alias, tag, label) VALUES (@alias, @tag, @label)",
  ).run(alias);
}

function removeAliases(aliases: readonly string[]): void {
  prepared("DELETE FROM tag_aliases WHERE alias IN (SELECT value FROM json_each(?))").run(
    JSON.stringify(aliases),
  );
}

/** Invalidates cached searches and pages, because a change to these rows alone wouldn't invalidate them. */
function changeVersion(): void {
  prepared("UPDATE catalogue_version SET catalogue = catalogue + ?").run(PUBLIC_CHANGE);
}
