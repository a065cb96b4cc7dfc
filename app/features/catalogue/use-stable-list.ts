import { useLocation } from "@remix-run/react";
import { type RefObject, useEffect, useState } from "react";
import { formatQuantity } from "~/shared/format";
import type { VideoPage } from "~/shared/video-card";
import { useListener } from "~/ui/use-listener";
import { fetchCards } from "./fetch-cards";

/**
 * Returns the list to show while newer versions of the same page arrive: the newest version, unless that would move
 * what the visitor is reading. In that case, the old version stays until the visitor navigates, or returns to the top
 * while nothing in the list has the focus.
 *
 * @param element the element that contains the cards.
 */
export function useStableList(latest: VideoPage, element: RefObject<HTMLElement>) {
  const { key } = useLocation();
  const isBeingRead = useIsBeingRead(element);
  const [shown, setShown] = useState({ key, list: latest });
  const stays = isBeingRead && shown.key === key && hasMoved(shown.list, latest);
  // Set during render, so that the outdated list is never visible for a frame.
  if (!stays && (shown.list !== latest || shown.key !== key)) setShown({ key, list: latest });
  const list = stays ? shown.list : latest;
  return {
    list,
    /** A summary of the newer list, if the displayed list isn't the newest one. */
    news: stays ? changeSummary(list, latest) : undefined,
    withdrawn: useWithdrawn(list, latest),
  };
}

/** Returns whether cards would change their position or height. Changes to views and ages are ignored. */
export function hasMoved(before: VideoPage, after: VideoPage): boolean {
  const layout = ({ videos, page, pageCount }: VideoPage) =>
    JSON.stringify([page, pageCount, videos.map(({ id, title }) => [id, title])]);
  return layout(before) !== layout(after);
}

/** Returns `1 new video`, `3 new videos` or, for any other change, that the list was updated. */
export function changeSummary(before: VideoPage, after: VideoPage): string {
  const newest = before.videos.reduce((last, { createdAt }) => later(last, createdAt), "");
  const added = after.videos.filter(({ createdAt }) => createdAt > newest).length;
  if (after.page > 1 || added === 0) return "This list was updated";
  // If every video on the page is new, there may be more on other pages, so compare the totals.
  const all = added === after.videos.length ? Math.max(added, after.total - before.total) : added;
  return formatQuantity(all, "new video");
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}

function useIsBeingRead(element: RefObject<HTMLElement>): boolean {
  const [isBeingRead, setIsBeingRead] = useState(false);
  const update = () => {
    const hasFocus = element.current?.contains(document.activeElement) ?? false;
    setIsBeingRead(window.scrollY > 0 || hasFocus);
  };
  useEffect(update, []);
  useListener("window", "scroll focusin", update);
  // During focusout, nothing has the focus yet, so check again afterwards.
  useListener("window", "focusout", () => setTimeout(update));
  return isBeingRead;
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the videos in the displayed list that are no longer public, so that their cards can be disabled. */
function useWithdrawn(list: VideoPage, latest: VideoPage): ReadonlySet<string> {
  const [withdrawn, setWithdrawn] = useState(NONE);
  const stillThere = new Set(latest.videos.map(({ id }) => id));
  const missing = list.videos.filter(({ id }) => !stillThere.has(id));
  // The missing videos may have moved to another page, so ask the server.
  const request = JSON.stringify(missing.map(({ id }) => id));

  useEffect(() => {
    setWithdrawn(NONE);
    const requested: string[] = JSON.parse(request);
    if (requested.length === 0) return;
    const stop = new AbortController();
    fetchCards(requested, stop.signal).then(
      (cards) => {
        const ids = new Set(cards.map(({ id }) => id));
        setWithdrawn(new Set(requested.filter((id) => !ids.has(id))));
      },
      // Errors are ignored, because the next change triggers another request, and a video that isn't public can't be
      // opened anyway.
      () => {},
    );
    return () => stop.abort();
  }, [request]);

  return withdrawn;
}
