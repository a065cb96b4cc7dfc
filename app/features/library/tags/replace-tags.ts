import { fold } from "~/shared/fold";

/**
 * A list of tags with some of them replaced, or without them; undefined when nothing of it changes.
 * The target is in it once: where another tag was it already, that stays.
 *
 * @param from folded.
 * @param target null for removing.
 */
export function replaceTags(
  tags: readonly string[],
  from: ReadonlySet<string>,
  target: string | null,
): string[] | undefined {
  const isFrom = (text: string) => from.has(fold(text.trim()));
  const goal = target === null ? undefined : fold(target);
  let isThere = tags.some((text) => !isFrom(text) && fold(text.trim()) === goal);
  const after = tags.flatMap((text) => {
    if (!isFrom(text)) return [text];
    if (target === null || isThere) return [];
    isThere = true;
    return [target];
  });
  const isSame = after.length === tags.length && after.every((text, at) => text === tags[at]);
  return isSame ? undefined : after;
}
