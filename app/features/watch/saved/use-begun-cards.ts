import { useRouteLoaderData } from "@remix-run/react";
import { useEffect, useState } from "react";
import { useCards } from "~/features/catalogue/fetch-cards";
import { forgetWatched, useWatchHistory } from "~/features/visitor/watch-history";
import { SAVED_AT_ONCE } from "~/shared/pages";
import type { VideoCardData } from "~/shared/video-card";

/** Videos under Continue watching. */
const MOST_SHOWN = 8;

export interface BegunVideo {
  id: string;
  /** Seconds. */
  leftAt: number;
  /** Undefined until the server has answered. */
  card: VideoCardData | undefined;
}

/** The cards of the last answer outlive the page, so that Back shows them at once. */
let known: ReadonlyMap<string, VideoCardData> = new Map();

/**
 * What was begun in this browser, the latest first, with its cards; those that are not public any more
 * are dropped from the history. They are asked for anew when the catalogue has changed.
 */
export function useBegunCards() {
  const history = useWatchHistory();
  const root = useRouteLoaderData("root") as
    | { catalogueVersion?: number; asksForAge?: boolean }
    | undefined;
  const [cards, setCards] = useState(known);
  const [allGone, setAllGone] = useState(false);
  const [gone, setGone] = useState<readonly string[]>([]);

  const latest = [...history].reverse().slice(0, SAVED_AT_ONCE);
  const asked = root?.asksForAge ? [] : latest.map(([id]) => id);
  const { failed, retry } = useCards(
    asked,
    (found, answered) => {
      known = new Map(found.map((card) => [card.id, card]));
      setCards(known);
      setAllGone(found.length === 0);
      setGone(answered.filter((id) => !known.has(id)));
    },
    root?.catalogueVersion,
  );

  // Once the page shows what became of them: the history is followed at once, a state somewhat later.
  useEffect(() => forgetWatched(gone), [gone]);

  const videos = latest
    .map(([id, leftAt]): BegunVideo => ({ id, leftAt, card: cards.get(id) }))
    .slice(0, MOST_SHOWN);
  return {
    videos,
    /** Nothing of what was begun is public: said where it would stand, so that nothing moves. */
    allGone: allGone && history.length === 0,
    failed: failed && videos.some(({ card }) => !card),
    retry,
  };
}
