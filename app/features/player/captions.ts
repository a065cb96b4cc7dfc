import { useCallback, useEffect, useMemo, useState } from "react";
import { readStored, writeStored } from "~/features/visitor/browser-storage";
import { sameOrSimilar } from "./memory";
import type { CaptionTrack } from "./types";

export type Captions = ReturnType<typeof useCaptions>;

const NONE: CaptionTrack[] = [];

/** The captions as they were left in this browser: the same ones, or others of that language. */
function firstChoice(tracks: CaptionTrack[]): number {
  const stored = readStored("captions");
  if (stored === undefined) return tracks.findIndex((track) => track.default);
  return sameOrSimilar(tracks, stored);
}

/** Which captions are shown, of those that the video has. */
export function useCaptions(element: HTMLVideoElement, id: string, tracks: CaptionTrack[] = NONE) {
  const begin = () => {
    const chosen = firstChoice(tracks);
    return { id, chosen, last: Math.max(chosen, 0) };
  };
  const [choice, setChoice] = useState(begin);
  if (choice.id !== id) setChoice(begin());
  const { chosen, last } = choice;
  const textTrack = useTextTrack(element, tracks, chosen);

  const choose = useCallback(
    (index: number) => {
      setChoice((now) => ({ ...now, chosen: index, last: index >= 0 ? index : now.last }));
      const { language, label } = tracks[index] ?? {};
      writeStored("captions", { language, label });
    },
    [tracks],
  );

  return useMemo(
    () => ({
      tracks,
      /** Index of the track that is shown; -1 for none. */
      chosen,
      choose,
      /** On, with the track that was shown last, or off. */
      toggle: () => choose(chosen >= 0 ? -1 : last),
      /** The browser's own list of cues of the track that is shown. */
      textTrack,
    }),
    [tracks, chosen, choose, last, textTrack],
  );
}

/**
 * Lets the browser read the chosen track (`hidden`) while we draw its cues, so that they move out of
 * the controls' way; in an iPhone's own fullscreen player the browser draws them too. The element's
 * tracks are another video's after a navigation, and there only when React has put them in.
 */
function useTextTrack(element: HTMLVideoElement, tracks: CaptionTrack[], chosen: number) {
  const [textTrack, setTextTrack] = useState<TextTrack>();
  const addresses = tracks.map(({ url }) => url).join("\n");

  useEffect(() => {
    const list = element.textTracks;
    let drawnBy: "us" | "browser" = "us";
    const apply = () => {
      for (const [index, track] of Array.from(list).entries()) {
        const wanted = index !== chosen ? "disabled" : drawnBy === "us" ? "hidden" : "showing";
        if (track.mode !== wanted) track.mode = wanted;
      }
    };
    const onNative = ({ type }: Event) => {
      drawnBy = type === "webkitbeginfullscreen" ? "browser" : "us";
      apply();
    };
    // The browser turns a default track on by itself when it comes to it.
    const onChange = () => {
      if (drawnBy === "us") apply();
    };
    apply();
    setTextTrack(addresses && chosen >= 0 ? list[chosen] : undefined);
    const stop = new AbortController();
    list.addEventListener("change", onChange, stop);
    element.addEventListener("webkitbeginfullscreen", onNative, stop);
    element.addEventListener("webkitendfullscreen", onNative, stop);
    return () => stop.abort();
  }, [element, addresses, chosen]);

  return textTrack;
}
