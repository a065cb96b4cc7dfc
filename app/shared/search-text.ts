/** Longer search texts are truncated. */
export const SEARCH_MAX_LENGTH = 200;

/**
 * Normalizes a search text: trimmed, at most 200 characters. Control characters, which sometimes get pasted, become
 * spaces.
 */
export function searchText(value: string | null | undefined): string {
  const plain = (value ?? "")
    .replace(/\p{Cc}/gu, " ")
    .replace(/\p{Cs}/gu, "\ufffd")
    .trim();
  return [...plain].slice(0, SEARCH_MAX_LENGTH).join("").trim();
}
