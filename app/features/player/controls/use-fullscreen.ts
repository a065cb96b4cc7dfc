import { useCallback, useEffect, useMemo, useRef, useState } from "react";

type Orientation = "landscape" | "portrait";

/** What Safari has of its own: a prefix, and on iPhones only the video element. */
interface AppleElement extends HTMLElement {
  webkitRequestFullscreen?: () => void;
}
interface AppleDocument extends Document {
  webkitFullscreenElement?: Element | null;
  webkitExitFullscreen?: () => void;
}
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

function fullscreenElement(): Element | null {
  const page = document as AppleDocument;
  return page.fullscreenElement ?? page.webkitFullscreenElement ?? null;
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

  useEffect(() => {
    const onChange = () => {
      const now = fullscreenElement() === root;
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
    };
    const onNative = ({ type }: Event) => {
      elementAlone.current = type === "webkitbeginfullscreen";
      setActive(elementAlone.current);
    };
    document.addEventListener("fullscreenchange", onChange);
    document.addEventListener("webkitfullscreenchange", onChange);
    element.addEventListener("webkitbeginfullscreen", onNative);
    element.addEventListener("webkitendfullscreen", onNative);
    return () => {
      document.removeEventListener("fullscreenchange", onChange);
      document.removeEventListener("webkitfullscreenchange", onChange);
      element.removeEventListener("webkitbeginfullscreen", onNative);
      element.removeEventListener("webkitendfullscreen", onNative);
    };
  }, [root, element, lock]);

  return useMemo(() => {
    const box = root as AppleElement;
    const video = element as AppleVideo;
    // What is so at the press of the key, which may come before the page has drawn it.
    const isActive = () => elementAlone.current || fullscreenElement() === root;
    return {
      active,
      orientation,
      supported: Boolean(
        box.requestFullscreen ?? box.webkitRequestFullscreen ?? video.webkitEnterFullscreen,
      ),
      toggle() {
        enteredByTurning.current = false;
        if (isActive()) leave(video);
        else enter(box, video);
      },
      toggleOrientation() {
        enteredByTurning.current = false;
        void lock(orientation === "landscape" ? "portrait" : "landscape");
      },
      turn(isLandscape) {
        if (!isLandscape && enteredByTurning.current) leave(video);
        if (!isLandscape || isActive() || !box.requestFullscreen) return;
        enteredByTurning.current = true;
        enter(box, video);
      },
    };
  }, [root, element, active, orientation, lock]);
}

function enter(box: AppleElement, video: AppleVideo): void {
  if (box.requestFullscreen) {
    // Refused without a gesture, or by a page that embeds this one: nothing changes.
    void box.requestFullscreen({ navigationUI: "hide" }).catch(() => {});
  } else if (box.webkitRequestFullscreen) box.webkitRequestFullscreen();
  else video.webkitEnterFullscreen?.();
}

function leave(video: AppleVideo): void {
  const page = document as AppleDocument;
  if (page.fullscreenElement) void page.exitFullscreen().catch(() => {});
  else if (page.webkitFullscreenElement) page.webkitExitFullscreen?.();
  else video.webkitExitFullscreen?.();
}
