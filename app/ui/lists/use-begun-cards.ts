import { useRouteLoaderData } from "@remix-run/react";
import { useCallback, useEffect, useState } from "react";
import { SAVED_AT_ONCE } from "~/shared/pages";
import type { VideoCardData } from "~/shared/video-card";
import { fetchCards } from "../cards/fetch-cards";
import { forgetWatched, useWatchHistory } from "./watch-history";

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
  const [failed, setFailed] = useState(false);
  const [allGone, setAllGone] = useState(false);
  const [attempt, setAttempt] = useState(0);

  const retry = useCallback(() => setAttempt((before) => before + 1), []);

  const latest = [...history].reverse().slice(0, SAVED_AT_ONCE);
  const request = root?.asksForAge ? "[]" : JSON.stringify(latest.map(([id]) => id));
  const version = root?.catalogueVersion;

  useEffect(() => {
    const ids: string[] = JSON.parse(request);
    if (ids.length === 0) return;
    const stop = new AbortController();
    setFailed(false);
    fetchCards(ids, stop.signal).then(
      (videos) => {
        known = new Map(videos.map((video) => [video.id, video]));
        setCards(known);
        setAllGone(videos.length === 0);
        forgetWatched(ids.filter((id) => !known.has(id)));
      },
      () => !stop.signal.aborted && setFailed(true),
    );
    return () => stop.abort();
  }, [request, version, attempt]);

  useEffect(() => {
    if (!failed) return;
    window.addEventListener("online", retry);
    return () => window.removeEventListener("online", retry);
  }, [failed, retry]);

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
