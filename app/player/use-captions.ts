import { useCallback, useEffect, useMemo, useState } from "react";
import { keep, readKept } from "./browser-storage";
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

/** The captions as they were left in this browser: the same ones, or others of that language. */
function firstChoice(tracks: CaptionTrack[]): number {
  const kept = readKept("captions") as Partial<CaptionTrack> | undefined;
  const same = tracks.findIndex(({ label }) => label === kept?.label);
  if (same >= 0) return same;
  const similar = tracks.findIndex(({ language }) => language === kept?.language);
  if (similar >= 0) return similar;
  return kept === undefined ? tracks.findIndex((track) => track.default) : -1;
}

/**
 * Which captions are shown. The browser reads them (`hidden`) and we draw them, so that they move
 * out of the controls' way; in an iPhone's own fullscreen player the browser draws them too.
 */
export function useCaptions(
  element: HTMLVideoElement,
  id: string,
  tracks: CaptionTrack[] = NONE,
): Captions {
  const begin = () => {
    const chosen = firstChoice(tracks);
    return { id, chosen, last: Math.max(chosen, 0) };
  };
  const [choice, setChoice] = useState(begin);
  if (choice.id !== id) setChoice(begin());
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

  const choose = useCallback(
    (index: number) => {
      setChoice((now) => ({ ...now, chosen: index, last: index >= 0 ? index : now.last }));
      const { language, label } = tracks[index] ?? {};
      keep("captions", { language, label });
    },
    [tracks],
  );

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
