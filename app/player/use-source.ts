import { useEffect, useMemo, useRef } from "react";
import { type Adaptive, openAdaptive, type Quality } from "./adaptive";
import { continueAt, continueNothing, type Place, placeOf } from "./continue-at";
import { createStore, type Store } from "./store";
import type { PlayerVideo } from "./types";

export interface SourceState {
  playing: "file" | "adaptive";
  /** Renditions to choose from, highest first; known once the playlist has been read. */
  heights: number[];
  chosen: Quality | "file";
  /** Of the rendition on screen; 0 while unknown. */
  height: number;
  /** The adaptive source has lost the server. */
  lost: boolean;
}

export interface Source {
  state: Store<SourceState>;
  choose(quality: Quality | "file"): void;
  /** Loads again what was playing, and goes on where it was. */
  reload(place: Place): void;
}

const FILE: SourceState = {
  playing: "file",
  heights: [],
  chosen: "file",
  height: 0,
  lost: false,
};

function createSource(element: HTMLVideoElement, fileUrl: string, hlsUrl: string | undefined) {
  const state = createStore<SourceState>(FILE);
  const update = (change: Partial<SourceState>) => state.set({ ...state.get(), ...change });
  let adaptive: Adaptive | undefined;
  let closed = false;
  let opening = false;

  function toFile(place: Place) {
    adaptive?.close();
    adaptive = undefined;
    update({ playing: "file", chosen: "file", height: 0, lost: false });
    continueAt(element, place, () => {
      element.src = fileUrl;
      element.load();
    });
  }

  /** Once the playlist has failed there is no choice left to offer. */
  function giveUp() {
    if (closed) return;
    update({ heights: [] });
    toFile(placeOf(element));
  }

  /** `asked` by the visitor it may interrupt what plays; otherwise a video that runs is left alone. */
  async function open(quality: Quality, asked: boolean) {
    closed = false;
    if (!hlsUrl || opening) return;
    opening = true;
    try {
      const opened = await openAdaptive(element, hlsUrl, {
        mayAttach() {
          if (closed || (element.currentTime > 0 && !asked)) return false;
          continueAt(element, placeOf(element), () => {});
          return true;
        },
        onHeight: (height) => update({ height, lost: false }),
        onFailed: giveUp,
        onLost: () => update({ lost: true }),
      });
      if (closed) return opened.close();
      adaptive = opened;
      update({ playing: "adaptive", heights: opened.heights, chosen: quality });
      if (quality !== "auto") opened.choose(quality);
    } catch {
      // The file plays: it was left alone, or `onFailed` has gone back to it.
    } finally {
      opening = false;
    }
  }

  return {
    state,
    open,
    close() {
      closed = true;
      continueNothing(element);
      adaptive?.close();
    },
    choose(quality: Quality | "file") {
      if (quality === "file") {
        if (adaptive) toFile(placeOf(element));
      } else if (adaptive) {
        adaptive.choose(quality);
        update({ chosen: quality });
      } else {
        void open(quality, true);
      }
    },
    reload(place: Place) {
      if (adaptive) {
        update({ lost: false });
        adaptive.resume();
        if (place.playing) void element.play().catch(() => {});
      } else {
        continueAt(element, place, () => element.load());
      }
    },
  };
}

/** Begun, it is left alone: changing the source under a running video would be seen. */
function hasBegun(element: HTMLVideoElement): boolean {
  return !element.paused || element.currentTime > 0;
}

/**
 * What the element plays: the file that the server named, or the adaptive playlist when there is one
 * and the video has not begun yet. When the id changes the element starts anew; when the player
 * leaves the page its download stops.
 */
export function useSource(element: HTMLVideoElement, video: PlayerVideo): Source {
  const { id, fileUrl, hlsUrl } = video;
  // Another id is another source, even of the same file.
  const source = useMemo(
    () => createSource(element, fileUrl, hlsUrl),
    [element, id, fileUrl, hlsUrl],
  );

  useEffect(() => {
    return () => {
      element.pause();
      element.removeAttribute("src");
      element.load();
    };
  }, [element]);

  const lastId = useRef(id);
  useEffect(() => {
    if (element.getAttribute("src") !== fileUrl) element.src = fileUrl;
    else if (lastId.current !== id) element.load();
    lastId.current = id;
    if (hlsUrl && !hasBegun(element)) void source.open("auto", false);
    return () => source.close();
  }, [source, element, id, fileUrl, hlsUrl]);

  return source;
}
