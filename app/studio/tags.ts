import { MAX_TAG_LETTERS, MAX_TAGS } from "./upload-fields";

/**
 * The tags of a text: split at commas, trimmed, empty ones dropped, each once whatever its case
 * (specification, section 5).
 *
 * @returns the sentence that says what is wrong, when they can't be taken.
 */
export function parseTags(text: string): string[] | string {
  const seen = new Map<string, string>();
  for (const tag of text.split(",").map((part) => part.trim())) {
    if (tag.length > MAX_TAG_LETTERS) return `A tag has at most ${MAX_TAG_LETTERS} characters.`;
    if (tag && !seen.has(tag.toLowerCase())) seen.set(tag.toLowerCase(), tag);
  }
  if (seen.size > MAX_TAGS) return `A video has at most ${MAX_TAGS} tags.`;
  return [...seen.values()];
}
