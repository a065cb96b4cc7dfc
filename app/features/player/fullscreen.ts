import { useCallback, useMemo, useRef, useState } from "react";
import { useListener } from "~/ui/use-listener";
import type { PlaybackState } from "./playback-state";

type Orientation = "landscape" | "portrait";

/** What an iPhone has instead: fullscreen of the video element alone. */
interface AppleVideo extends HTMLVideoElement {
  webkitEnterFullscreen?: () => void;
  webkitExitFullscreen?: () => void;
}
/** Not in TypeScript's DOM library, because Safari and Firefox don't have it. */
interface LockableOrientation extends ScreenOrientation {
  lock?: (orientation: Orientation) => Promise<void>;
}

export interface Fullscreen {
  active: boolean;
  supported: boolean;
  toggle(): void;
  /** The orientation that the screen is locked to; undefined where the device can't lock it. */
  orientation: Orientation | undefined;
  toggleOrientation(): void;
  /** The phone was turned to landscape or back: enters fullscreen, or leaves what it entered so. */
  turn(isLandscape: boolean): void;
}

/**
 * Fullscreen of the whole player, or of the video element where the device has only that (iPhone).
 * Where the screen can be locked it is locked to landscape, with a toggle to portrait (specification,
 * section 2). Where turning the phone brought it there it is landscape already, and stays free, so that
 * turning it back leaves.
 */
export function useFullscreen(root: HTMLElement, element: HTMLVideoElement): Fullscreen {
  const [active, setActive] = useState(false);
  const [orientation, setOrientation] = useState<Orientation>();
  const enteredByTurning = useRef(false);
  const elementAlone = useRef(false);

  const lock = useCallback(async (wanted: Orientation) => {
    try {
      const { orientation } = screen as { orientation?: LockableOrientation };
      if (!orientation?.lock) return;
      await orientation.lock(wanted);
      setOrientation(wanted);
    } catch {
      // A desktop, or a system setting: the screen stays as it is and the toggle isn't offered.
    }
  }, []);

  useListener("document", "fullscreenchange", () => {
    const now = document.fullscreenElement === root;
    setActive(now);
    if (now && enteredByTurning.current) {
      if ((screen.orientation as LockableOrientation).lock) setOrientation("landscape");
    } else if (now) {
      void lock("landscape");
    } else {
      enteredByTurning.current = false;
      screen.orientation?.unlock?.();
      setOrientation(undefined);
    }
  });
  useListener(element, "webkitbeginfullscreen webkitendfullscreen", ({ type }) => {
    elementAlone.current = type === "webkitbeginfullscreen";
    setActive(elementAlone.current);
  });

  return useMemo(() => {
    const video = element as AppleVideo;
    // What is so at the press of the key, which may come before the page has drawn it.
    const isActive = () => elementAlone.current || document.fullscreenElement === root;
    return {
      active,
      orientation,
      supported: Boolean(root.requestFullscreen ?? video.webkitEnterFullscreen),
      toggle() {
        enteredByTurning.current = false;
        if (isActive()) leave(video);
        else enter(root, video);
      },
      toggleOrientation() {
        enteredByTurning.current = false;
        void lock(orientation === "landscape" ? "portrait" : "landscape");
      },
      turn(isLandscape) {
        if (!isLandscape && enteredByTurning.current) leave(video);
        if (!isLandscape || isActive() || !root.requestFullscreen) return;
        enteredByTurning.current = true;
        enter(root, video);
      },
    };
  }, [root, element, active, orientation, lock]);
}

function enter(root: HTMLElement, video: AppleVideo): void {
  // Refused without a gesture, or by a page that embeds this one: nothing changes.
  if (root.requestFullscreen) void root.requestFullscreen({ navigationUI: "hide" }).catch(() => {});
  else video.webkitEnterFullscreen?.();
}

function leave(video: AppleVideo): void {
  if (document.fullscreenElement) void document.exitFullscreen().catch(() => {});
  else video.webkitExitFullscreen?.();
}

/** CSS pixels of the shorter side: what is larger is a tablet, which shows the page beside the picture. */
const PHONE_SIDE_PX = 600;

function isPhone(): boolean {
  const isSmall = Math.min(screen.width, screen.height) < PHONE_SIDE_PX;
  return isSmall && window.matchMedia("(pointer: coarse)").matches;
}

/**
 * Turning the phone while a video plays enters fullscreen, turning it back leaves what was entered
 * so. Whoever enters or leaves by a button has chosen; only the next turn is one again.
 */
export function useTurning(fullscreen: Fullscreen, playback: PlaybackState): void {
  useListener(screen.orientation, "change", () => {
    const isLandscape = screen.orientation.type.startsWith("landscape");
    if (isLandscape && (playback.get().paused || !isPhone())) return;
    fullscreen.turn(isLandscape);
  });
}
