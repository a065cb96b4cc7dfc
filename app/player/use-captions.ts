import { useCallback, useEffect, useMemo, useState } from "react";
import type { CaptionTrack } from "./types";

export interface Captions {
  tracks: CaptionTrack[];
  /** Index of the track that is shown; -1 for none. */
  chosen: number;
  choose(index: number): void;
  /** On, with the track that was shown last, or off. */
  toggle(): void;
  /** The browser's own list of cues of the track that is shown. */
  track: TextTrack | undefined;
}

const NONE: CaptionTrack[] = [];

/**
 * Which captions are shown. The browser reads them (`hidden`) and we draw them, so that they move
 * out of the controls' way; in an iPhone's own fullscreen player the browser draws them too.
 */
export function useCaptions(
  element: HTMLVideoElement,
  id: string,
  tracks: CaptionTrack[] = NONE,
): Captions {
  const initial = tracks.findIndex((track) => track.default);
  const [choice, setChoice] = useState({ id, chosen: initial, last: Math.max(initial, 0) });
  if (choice.id !== id) setChoice({ id, chosen: initial, last: Math.max(initial, 0) });
  const { chosen, last } = choice;

  useEffect(() => {
    const own = Array.from(element.textTracks);
    const apply = (shown: TextTrackMode) => {
      own.forEach((track, index) => {
        track.mode = index === chosen ? shown : "disabled";
      });
    };
    const onBegin = () => apply("showing");
    const onEnd = () => apply("hidden");
    apply("hidden");
    element.addEventListener("webkitbeginfullscreen", onBegin);
    element.addEventListener("webkitendfullscreen", onEnd);
    return () => {
      element.removeEventListener("webkitbeginfullscreen", onBegin);
      element.removeEventListener("webkitendfullscreen", onEnd);
    };
  }, [element, chosen]);

  const choose = useCallback((index: number) => {
    setChoice((now) => ({ ...now, chosen: index, last: index >= 0 ? index : now.last }));
  }, []);

  return useMemo(
    () => ({
      tracks,
      chosen,
      choose,
      toggle: () => choose(chosen >= 0 ? -1 : last),
      track: chosen >= 0 ? element.textTracks[chosen] : undefined,
    }),
    [tracks, chosen, choose, last, element],
  );
}
