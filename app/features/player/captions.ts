import { useCallback, useEffect, useMemo, useState } from "react";
import { readStored, writeStored } from "~/features/visitor/browser-storage";
import { findMatchingTrack } from "./memory";
import type { CaptionTrack } from "./types";

export type Captions = ReturnType<typeof useCaptions>;

const NONE: CaptionTrack[] = [];

/** Returns the track last chosen in this browser or, failing that, a track in the same language. */
function firstChoice(tracks: CaptionTrack[]): number {
  const stored = readStored("captions");
  if (stored === undefined) return tracks.findIndex((track) => track.default);
  return findMatchingTrack(tracks, stored);
}

/** Manages which caption track is shown. */
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
      /** The index of the track being shown; -1 if captions are off. */
      chosen,
      choose,
      /** Turns captions off, or turns them on with the track that was shown last. */
      toggle: () => choose(chosen >= 0 ? -1 : last),
      /** The browser's TextTrack for the track being shown. */
      textTrack,
    }),
    [tracks, chosen, choose, last, textTrack],
  );
}

/**
 * Lets the browser parse the chosen track (`hidden`) while we render its cues, so that they can be moved clear of the
 * controls. In an iPhone's native fullscreen player, the browser renders them. After a navigation, the element has
 * another video's tracks, which don't exist until React has added them.
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
    // The browser enables a default track when it loads that track.
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
