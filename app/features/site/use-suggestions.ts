import { useEffect, useState } from "react";
import type { CategoryId } from "~/shared/categories";
import type { Suggestion } from "~/shared/suggestion";

/** After the last letter: most are typed faster. */
const TYPING_PAUSE_MS = 150;
const NONE: readonly Suggestion[] = [];

/**
 * What the site suggests for a text; undefined asks for nothing. An answer that the next letter has
 * overtaken is dropped, and a failure suggests nothing.
 */
export function useSuggestions(
  text: string | undefined,
  category: CategoryId | undefined,
): readonly Suggestion[] {
  const [found, setFound] = useState(NONE);
  const asked = text?.trim() ?? "";
  useEffect(() => {
    if (asked === "") {
      setFound(NONE);
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const query = new URLSearchParams({ q: asked, ...(category && { category }) });
      fetchSuggestions(query, stop.signal).then(setFound, () => {
        if (!stop.signal.aborted) setFound(NONE);
      });
    }, TYPING_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [asked, category]);
  return asked === "" ? NONE : found;
}

async function fetchSuggestions(
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const answer = await fetch(`/search/suggestions?${query}`, { signal });
  if (!answer.ok) return NONE;
  const { suggestions } = (await answer.json()) as { suggestions: Suggestion[] };
  return suggestions;
}
