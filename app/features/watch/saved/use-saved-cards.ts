import { useCallback, useState } from "react";
import { useCards } from "~/features/catalogue/fetch-cards";
import { useSavedVideos } from "~/features/visitor/saved-videos";
import { SAVED_AT_ONCE } from "~/shared/pages";
import type { VideoCardData } from "~/shared/video-card";

type State = "loading" | "failed" | "ready";
/** What the server has said of each id: its card, or null where there is none. */
type Known = ReadonlyMap<string, VideoCardData | null>;

/** The saved videos with their cards, which are asked for some at a time. */
export function useSavedCards() {
  const ids = useSavedVideos();
  const [known, setKnown] = useState<Known>(new Map());
  const [most, setMost] = useState(SAVED_AT_ONCE);
  const shown = ids.slice(0, most);
  const asked = shown.filter((id) => !known.has(id)).slice(0, SAVED_AT_ONCE);
  const { failed, retry } = useCards(asked, (cards, answered) => {
    const found = new Map(cards.map((card) => [card.id, card]));
    setKnown((before) => {
      const after = new Map(before);
      for (const id of answered) after.set(id, found.get(id) ?? null);
      return after;
    });
  });

  const state: State = asked.length === 0 ? "ready" : failed ? "failed" : "loading";
  return {
    ids,
    cards: shown.flatMap((id) => known.get(id) ?? []),
    /** Saved once, and not public any more. */
    gone: shown.filter((id) => known.get(id) === null),
    state,
    hasMore: ids.length > most,
    showMore: useCallback(() => setMost((before) => before + SAVED_AT_ONCE), []),
    retry,
  };
}
