import { changeAndRecord } from "~/platform/activity/activity.server";
import { fold } from "~/shared/fold";
import { check, firstMessage, tags as tagList } from "~/shared/video-fields";
import { PUBLIC_CHANGE } from "~db/catalogue-version";
import { prepared } from "~db/client.server";
import type { TagAliasesTable as Alias } from "~db/schema/catalogue";

const MAX_ALIASES = 50;

/**
 * Makes the other names of tags follow a change, inside of its transaction.
 *
 * @returns the rows that were there before, for {@link bringBackAliases}.
 */
export function setAliasesFor(
  tags: readonly string[],
  target: string | null,
  keepsNames: boolean,
): Alias[] {
  const goal = target === null ? null : fold(target);
  const list = JSON.stringify(tags);
  const concerned = prepared<Alias>(
    `SELECT alias, tag, label FROM tag_aliases WHERE tag IN (SELECT value FROM json_each(@list))
       OR alias IN (SELECT value FROM json_each(@list)) OR alias = @goal OR tag = @goal`,
  ).all({ list, goal });
  removeAliases(concerned.map(({ alias }) => alias));
  if (goal !== null && target !== null) {
    const names = new Set(concerned.map(({ alias }) => alias));
    if (keepsNames) for (const tag of tags) names.add(tag);
    else for (const tag of tags) names.delete(tag);
    names.delete(goal);
    for (const alias of names) enter({ alias, tag: goal, label: target });
  }
  changeVersion();
  return concerned;
}

/** Undoes {@link setAliasesFor}: what has those names now, or had them before, is as it was. */
export function bringBackAliases(tags: readonly string[], before: readonly Alias[]): void {
  removeAliases([...tags, ...before.map(({ alias }) => alias)]);
  for (const alias of before) enter(alias);
  changeVersion();
}

/**
 * Sets the other names of a tag, separated by commas.
 *
 * @param names the folded tags of the catalogue: a name that videos have as a tag is to be merged.
 * @returns what is wrong with them, or undefined.
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
  if (aliases.length > MAX_ALIASES) return `A tag has at most ${MAX_ALIASES} other names.`;
  if (aliases.includes(tag)) return "This is the tag itself: upper and lower case are the same.";
  for (const alias of aliases) {
    const owner = prepared<Alias>("SELECT tag, label FROM tag_aliases WHERE alias = ?").get(alias);
    if (owner && owner.tag !== tag) return `“${alias}” is another name of “${owner.label}”.`;
    if (prepared("SELECT 1 FROM tag_aliases WHERE tag = ?").get(alias)) {
      return `“${alias}” has other names itself: merge it into this tag.`;
    }
    if (!owner && (await isUsed(alias))) {
      return `“${alias}” is a tag of videos: merge it into this tag.`;
    }
  }
  await changeAndRecord({ userId, action: "tag-aliases", detail: name }, () => {
    prepared("DELETE FROM tag_aliases WHERE tag = ?").run(tag);
    for (const alias of aliases) enter({ alias, tag, label: name });
    changeVersion();
  });
  return undefined;
}

function enter(alias: Alias): void {
  prepared(
    "INSERT OR REPLACE INTO tag_aliases (alias, tag, label) VALUES (@alias, @tag, @label)",
  ).run(alias);
}

function removeAliases(aliases: readonly string[]): void {
  prepared("DELETE FROM tag_aliases WHERE alias IN (SELECT value FROM json_each(?))").run(
    JSON.stringify(aliases),
  );
}

/** Cached searches and pages know nothing of these rows. */
function changeVersion(): void {
  prepared("UPDATE catalogue_version SET catalogue = catalogue + ?").run(PUBLIC_CHANGE);
}
