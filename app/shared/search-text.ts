import { fold } from "./fold";

/** The maximum length of a search query. Longer queries are truncated. */
export const SEARCH_MAX_LENGTH = 200;

/**
 * Normalizes a search query: trims it and limits it to 200 characters. Control characters, which users sometimes paste,
 * become spaces.
 */
export function searchText(value: string | null | undefined): string {
  const plain = (value ?? "")
    .replace(/\p{Cc}/gu, " ")
    .replace(/\p{Cs}/gu, "\ufffd")
    .trim();
  return [...plain].slice(0, SEARCH_MAX_LENGTH).join("").trim();
}

/** Returns a search query in the form in which the search indexes contain text. */
export function searchNeedle(value: string | null | undefined): string {
  // A folded text can begin with a space that followed a combining mark.
  return fold(searchText(value)).trim();
}
