/** A longer search text is cut here. */
export const SEARCH_MAX_LENGTH = 200;

/**
 * What of a search text counts: trimmed, at most 200 characters. Control characters, which nobody
 * types but some paste, are spaces.
 */
export function searchText(value: string | null | undefined): string {
  const plain = (value ?? "")
    .replace(/\p{Cc}/gu, " ")
    .replace(/\p{Cs}/gu, "\ufffd")
    .trim();
  return [...plain].slice(0, SEARCH_MAX_LENGTH).join("").trim();
}
