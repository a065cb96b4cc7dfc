import { useEffect, useMemo, useRef } from "react";
import { createStore, type Store } from "~/ui/store";
import { type Adaptive, openAdaptive, type Quality } from "./adaptive-source";
import { DEFAULT_FRAME_RATE } from "./constants";
import { type MediaTrack, rememberAudioTrack } from "./memory";
import {
  cancelSourceChange,
  changeSource,
  type PlaybackPosition,
  playbackPosition,
} from "./playback-state";
import { prefetchStart } from "./prefetch";
import type { PlayerVideo } from "./types";

export interface SourceState {
  playing: "file" | "adaptive";
  /** The heights of the available renditions, highest first; known once the playlist has been parsed. */
  heights: number[];
  chosen: Quality | "file";
  /** The available audio tracks; empty for a file. */
  audioTracks: MediaTrack[];
  /** The index of the active audio track. */
  audioTrack: number;
  /** The height of the rendition on screen; 0 while it is unknown. */
  height: number;
  /** The frame rate of the rendition on screen, or the default while it is unknown. */
  frameRate: number;
  /** Whether the adaptive source has lost the connection to the server. */
  lost: boolean;
}

export interface Source {
  state: Store<SourceState>;
  choose(quality: Quality | "file"): void;
  /** Switches the audio track, for this video and for the videos that follow. */
  chooseAudioTrack(index: number): void;
  /** Reloads the current source and continues at the same position. */
  reload(position: PlaybackPosition): void;
}

const FILE: SourceState = {
  playing: "file",
  heights: [],
  chosen: "file",
  audioTracks: [],
  audioTrack: 0,
  height: 0,
  frameRate: DEFAULT_FRAME_RATE,
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
   * Postpones the switch from a file that is playing to the adaptive source, because the switch would be visible. The
   * adaptive source takes over at the next stall or seek, which interrupts playback anyway.
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

  /** Permanently falls back to the file: without a playlist, there are no qualities to choose from. */
  function giveUp() {
    if (closed) return;
    update({ heights: [] });
    toFile(playbackPosition(element));
  }

  /** Opens the adaptive source. A playing video is left alone unless `interrupt` allows interrupting it. */
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
          update({ height, frameRate: frameRate || DEFAULT_FRAME_RATE, lost: false }),
        onAudioTracks: (audioTracks, audioTrack) => update({ audioTracks, audioTrack }),
        onFailed: giveUp,
        onLost: () => update({ lost: true }),
      });
      if (closed) return opened.close();
      adaptive = opened;
      update({ playing: "adaptive", heights: opened.heights, chosen: quality });
      if (quality !== "auto") opened.choose(quality);
    } catch {
      // The file is playing, either because it was left alone, or because `onFailed` has fallen back to it.
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
    chooseAudioTrack(index: number) {
      const audioTrack = state.get().audioTracks[index];
      if (!audioTrack) return;
      adaptive?.chooseAudioTrack(index);
      rememberAudioTrack(audioTrack);
      update({ audioTrack: index });
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

/** Returns whether the element has started playing and isn't waiting for the network. */
function isRunning(element: HTMLVideoElement): boolean {
  return element.played.length > 0 && element.readyState >= HAVE_FUTURE_DATA;
}

/**
 * Manages what the element plays: the file from the server's HTML, or the adaptive playlist if there is one. When the
 * id changes, the element is reloaded; when the player is removed, its download stops.
 */
export function useSource(element: HTMLVideoElement, video: PlayerVideo): Source {
  const { id, fileUrl, hlsUrl } = video;
  // A ref is used, because a new object for the same stream must not reopen the source.
  const latestStart = useRef(video.streamStart);
  latestStart.current = video.streamStart;
  // If the id changes, the source must change too, even if the file is the same.
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
    // The same video's stream may have been re-encoded, so playback continues at the same position.
    if (lastId.current === id && position.current)
      changeSource(element, position.current, () => {});
    // The HTML from the server may contain a start time as a fragment.
    if (element.getAttribute("src")?.split("#")[0] !== fileUrl) element.src = fileUrl;
    else if (lastId.current !== id) element.load();
    lastId.current = id;
    if (latestStart.current && element.currentTime === 0) prefetchStart(latestStart.current);
    if (hlsUrl) void source.open("auto", false);
    return () => {
      position.current = fileUrl === hlsUrl ? playbackPosition(element) : undefined;
      source.close();
    };
  }, [source, element, id, fileUrl, hlsUrl]);

  return source;
}
