import { useEffect, useMemo, useRef } from "react";
import { createStore, type Store } from "~/ui/store";
import { type Adaptive, openAdaptive, type Quality } from "./adaptive-source";
import { FRAMES_PER_SECOND } from "./constants";
import { rememberSound, type SoundTrack } from "./memory";
import {
  cancelSourceChange,
  changeSource,
  type PlaybackPosition,
  playbackPosition,
} from "./playback-state";
import { primeStart } from "./primed-start";
import type { PlayerVideo } from "./types";

export interface SourceState {
  playing: "file" | "adaptive";
  /** Renditions to choose from, highest first; known once the playlist has been read. */
  heights: number[];
  chosen: Quality | "file";
  /** Sounds to choose from; a file has one. */
  sounds: SoundTrack[];
  /** The one that is heard, as an index. */
  sound: number;
  /** Of the rendition on screen; 0 while unknown. */
  height: number;
  /** Frames a second of what is on screen, or the usual ones while unknown. */
  frameRate: number;
  /** The adaptive source has lost the server. */
  lost: boolean;
}

export interface Source {
  state: Store<SourceState>;
  choose(quality: Quality | "file"): void;
  /** Another of the sounds, in this video and the next ones. */
  chooseSound(index: number): void;
  /** Loads again what was playing, and goes on where it was. */
  reload(position: PlaybackPosition): void;
}

const FILE: SourceState = {
  playing: "file",
  heights: [],
  chosen: "file",
  sounds: [],
  sound: 0,
  height: 0,
  frameRate: FRAMES_PER_SECOND,
  lost: false,
};

function createSource(element: HTMLVideoElement, fileUrl: string, hlsUrl: string | undefined) {
  const state = createStore<SourceState>(FILE);
  const update = (change: Partial<SourceState>) => state.set({ ...state.get(), ...change });
  let adaptive: Adaptive | undefined;
  let closed = false;
  let opening = false;
  let interruption: AbortController | undefined;

  /**
   * A file that plays before the adaptive source is ready is left alone while it runs: the change
   * would be seen. At the next stall or seek the picture waits anyway, and the adaptive source,
   * which suits the connection, takes over.
   */
  function openAtInterruption() {
    interruption?.abort();
    interruption = new AbortController();
    const { signal } = interruption;
    const activateReplacement = () => void open("auto", true);
    for (const event of ["waiting", "seeking"]) {
      element.addEventListener(event, activateReplacement, { signal });
    }
  }

  function toFile(position: PlaybackPosition) {
    adaptive?.close();
    adaptive = undefined;
    update({ ...FILE, heights: state.get().heights });
    changeSource(element, position, () => {
      element.preload = "metadata";
      element.src = fileUrl;
      element.load();
    });
  }

  /** Once the playlist has failed there is no choice left to offer. */
  function giveUp() {
    if (closed) return;
    update({ heights: [] });
    toFile(playbackPosition(element));
  }

  /** Opens the adaptive source; unless it may `interrupt`, a video that runs is left alone. */
  async function open(quality: Quality, interrupt: boolean) {
    closed = false;
    if (!hlsUrl || opening) return;
    opening = true;
    interruption?.abort();
    try {
      const opened = await openAdaptive(element, hlsUrl, {
        mayAttach() {
          if (closed) return false;
          if (!interrupt && isRunning(element)) {
            openAtInterruption();
            return false;
          }
          changeSource(element, playbackPosition(element), () => {});
          return true;
        },
        onRendition: (height, frameRate) =>
          update({ height, frameRate: frameRate || FRAMES_PER_SECOND, lost: false }),
        onSounds: (sounds, sound) => update({ sounds, sound }),
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
      interruption?.abort();
      cancelSourceChange(element);
      adaptive?.close();
    },
    choose(quality: Quality | "file") {
      if (quality === "file") {
        interruption?.abort();
        if (adaptive) toFile(playbackPosition(element));
      } else if (adaptive) {
        adaptive.choose(quality);
        update({ chosen: quality });
      } else {
        void open(quality, true);
      }
    },
    chooseSound(index: number) {
      const sound = state.get().sounds[index];
      if (!sound) return;
      adaptive?.chooseSound(index);
      rememberSound(sound);
      update({ sound: index });
    },
    reload(position: PlaybackPosition) {
      if (adaptive) {
        update({ lost: false });
        adaptive.resume();
        if (position.playing) void element.play().catch(() => {});
      } else {
        changeSource(element, position, () => element.load());
      }
    },
  };
}

const HAVE_FUTURE_DATA = 3;

/** It has played, and does not wait for the network. */
function isRunning(element: HTMLVideoElement): boolean {
  return element.played.length > 0 && element.readyState >= HAVE_FUTURE_DATA;
}

/**
 * What the element plays: the file that the server named, or the adaptive playlist when there is
 * one. When the id changes the element starts anew; when the player leaves the page its download
 * stops.
 */
export function useSource(element: HTMLVideoElement, video: PlayerVideo): Source {
  const { id, fileUrl, hlsUrl } = video;
  // The same stream has the same beginning, in whatever object a page hands it over.
  const latestStart = useRef(video.streamStart);
  latestStart.current = video.streamStart;
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
  const position = useRef<PlaybackPosition>();
  useEffect(() => {
    // The stream of the same video may have been made anew, and goes on where it was.
    if (lastId.current === id && position.current)
      changeSource(element, position.current, () => {});
    // The page may have named a start in the fragment.
    if (element.getAttribute("src")?.split("#")[0] !== fileUrl) element.src = fileUrl;
    else if (lastId.current !== id) element.load();
    lastId.current = id;
    if (latestStart.current && element.currentTime === 0) primeStart(latestStart.current);
    if (hlsUrl) void source.open("auto", false);
    return () => {
      position.current = fileUrl === hlsUrl ? playbackPosition(element) : undefined;
      source.close();
    };
  }, [source, element, id, fileUrl, hlsUrl]);

  return source;
}
