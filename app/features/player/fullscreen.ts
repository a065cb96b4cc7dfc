import { useCallback, useMemo, useRef, useState } from "react";
import { useListener } from "~/ui/use-listener";
import type { PlaybackState } from "./playback-state";

type Orientation = "landscape" | "portrait";

/** The iPhone's API, which can only show the video element itself in fullscreen. */
interface AppleVideo extends HTMLVideoElement {
  webkitEnterFullscreen?: () => void;
  webkitExitFullscreen?: () => void;
}
/** Missing from TypeScript's DOM library because Safari and Firefox don't implement it. */
interface LockableOrientation extends ScreenOrientation {
  lock?: (orientation: Orientation) => Promise<void>;
}

export interface Fullscreen {
  active: boolean;
  supported: boolean;
  toggle(): void;
  /** The orientation to which the screen is locked; undefined if the device can't lock it. */
  orientation: Orientation | undefined;
  toggleOrientation(): void;
  /**
   * Handles a rotation of the phone: rotating it to landscape enters fullscreen, and rotating it to portrait leaves
   * fullscreen if a rotation entered it.
   */
  handleRotation(isLandscape: boolean): void;
}

/**
 * Manages fullscreen for the whole player, or for the video element if the device supports only that (iPhone). Where
 * possible, the screen is locked to landscape, with a toggle to portrait (specification, section 2). If rotating the
 * phone entered fullscreen, the screen is already in landscape orientation and stays unlocked, so that rotating it back
 * leaves fullscreen.
 */
export function useFullscreen(root: HTMLElement, element: HTMLVideoElement): Fullscreen {
  const [active, setActive] = useState(false);
  const [orientation, setOrientation] = useState<Orientation>();
  const enteredByRotation = useRef(false);
  const elementAlone = useRef(false);

  const lock = useCallback(async (wanted: Orientation) => {
    try {
      const { orientation } = screen as { orientation?: LockableOrientation };
      if (!orientation?.lock) return;
      await orientation.lock(wanted);
      setOrientation(wanted);
    } catch {
      // On a desktop, or if a system setting prevents locking, the toggle isn't offered.
    }
  }, []);

  useListener("document", "fullscreenchange", () => {
    const now = document.fullscreenElement === root;
    setActive(now);
    if (now && enteredByRotation.current) {
      if ((screen.orientation as LockableOrientation).lock) setOrientation("landscape");
    } else if (now) {
      void lock("landscape");
    } else {
      enteredByRotation.current = false;
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
    // The state is read when the key is pressed, which may be before React has rendered the change.
    const isActive = () => elementAlone.current || document.fullscreenElement === root;
    return {
      active,
      orientation,
      supported: Boolean(root.requestFullscreen ?? video.webkitEnterFullscreen),
      toggle() {
        enteredByRotation.current = false;
        if (isActive()) leave(video);
        else enter(root, video);
      },
      toggleOrientation() {
        enteredByRotation.current = false;
        void lock(orientation === "landscape" ? "portrait" : "landscape");
      },
      handleRotation(isLandscape) {
        if (!isLandscape && enteredByRotation.current) leave(video);
        if (!isLandscape || isActive() || !root.requestFullscreen) return;
        enteredByRotation.current = true;
        enter(root, video);
      },
    };
  }, [root, element, active, orientation, lock]);
}

function enter(root: HTMLElement, video: AppleVideo): void {
  // The request is rejected if there was no user gesture or an embedding page forbids it. In that case, nothing
  // changes.
  if (root.requestFullscreen) void root.requestFullscreen({ navigationUI: "hide" }).catch(() => {});
  else video.webkitEnterFullscreen?.();
}

function leave(video: AppleVideo): void {
  if (document.fullscreenElement) void document.exitFullscreen().catch(() => {});
  else video.webkitExitFullscreen?.();
}

/**
 * The length of the shorter side of the largest phone, in CSS pixels. A tablet has room for the page next to the video.
 */
const PHONE_SIDE_PX = 600;

function isPhone(): boolean {
  const isSmall = Math.min(screen.width, screen.height) < PHONE_SIDE_PX;
  return isSmall && window.matchMedia("(pointer: coarse)").matches;
}

/**
 * Enters fullscreen when the phone is rotated to landscape during playback, and leaves it when the phone is rotated
 * back. Entering or leaving fullscreen with a button overrides this until the next rotation.
 */
export function useFullscreenOnRotation(fullscreen: Fullscreen, playback: PlaybackState): void {
  useListener(screen.orientation, "change", () => {
    const isLandscape = screen.orientation.type.startsWith("landscape");
    if (isLandscape && (playback.get().paused || !isPhone())) return;
    fullscreen.handleRotation(isLandscape);
  });
}
