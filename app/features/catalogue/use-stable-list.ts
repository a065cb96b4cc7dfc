import { useLocation } from "@remix-run/react";
import { type RefObject, useEffect, useState } from "react";
import { formatQuantity } from "~/shared/format";
import type { VideoPage } from "~/shared/video-card";
import { useListener } from "~/ui/use-listener";
import { fetchCards } from "./fetch-cards";

/**
 * The list to show while newer ones arrive for the same page: the newest, unless showing it would
 * move what is being read. Then the one that was there, until the visitor is at the top again and
 * without focus in it, or goes elsewhere.
 *
 * @param element what the cards stand in.
 */
export function useStableList(latest: VideoPage, element: RefObject<HTMLElement>) {
  const { key } = useLocation();
  const isBeingRead = useIsBeingRead(element);
  const [shown, setShown] = useState({ key, list: latest });
  const stays = isBeingRead && shown.key === key && hasMoved(shown.list, latest);
  // While rendering, so that the newer list is not on the screen for one frame.
  if (!stays && (shown.list !== latest || shown.key !== key)) setShown({ key, list: latest });
  const list = stays ? shown.list : latest;
  return {
    list,
    /** What the newer list brings, when it is not shown. */
    news: stays ? newsOf(list, latest) : undefined,
    withdrawn: useWithdrawn(list, latest),
  };
}

/** Whether cards would stand elsewhere, or have another height. Counts and ages may change. */
export function hasMoved(before: VideoPage, after: VideoPage): boolean {
  const layout = ({ videos, page, pageCount }: VideoPage) =>
    JSON.stringify([page, pageCount, videos.map(({ id, title }) => [id, title])]);
  return layout(before) !== layout(after);
}

/** `1 new video`, `3 new videos`; of any other change that there was one. */
export function newsOf(before: VideoPage, after: VideoPage): string {
  const newest = before.videos.reduce((last, { createdAt }) => later(last, createdAt), "");
  const added = after.videos.filter(({ createdAt }) => createdAt > newest).length;
  if (after.page > 1 || added === 0) return "The list has changed";
  // A page full of new ones: how many there are behind it, only the totals tell.
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
  // Between two elements nothing has the focus: asked when it has arrived.
  useListener("window", "focusout", () => setTimeout(update));
  return isBeingRead;
}

const NONE: ReadonlySet<string> = new Set();

/** Those of the list on the screen that are public no more: they are not offered any longer. */
function useWithdrawn(list: VideoPage, latest: VideoPage): ReadonlySet<string> {
  const [withdrawn, setWithdrawn] = useState(NONE);
  const stillThere = new Set(latest.videos.map(({ id }) => id));
  const missing = list.videos.filter(({ id }) => !stillThere.has(id));
  // Another page may have them now, so that only the site can tell.
  const request = JSON.stringify(missing.map(({ id }) => id));

  useEffect(() => {
    setWithdrawn(NONE);
    const asked: string[] = JSON.parse(request);
    if (asked.length === 0) return;
    const stop = new AbortController();
    fetchCards(asked, stop.signal).then(
      (cards) => {
        const ids = new Set(cards.map(({ id }) => id));
        setWithdrawn(new Set(asked.filter((id) => !ids.has(id))));
      },
      // Unreachable: the next change asks again, and a video that is not public does not open.
      () => {},
    );
    return () => stop.abort();
  }, [request]);

  return withdrawn;
}
