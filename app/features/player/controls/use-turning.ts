import { useEffect, useRef } from "react";
import type { PlaybackState } from "../playback-state";
import type { Fullscreen } from "./use-fullscreen";

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
  const latest = useRef(fullscreen);
  latest.current = fullscreen;

  useEffect(() => {
    const { orientation } = screen as { orientation?: ScreenOrientation };
    if (!orientation?.addEventListener) return;
    const onTurn = () => {
      const isLandscape = orientation.type.startsWith("landscape");
      if (isLandscape && (playback.get().paused || !isPhone())) return;
      latest.current.turn(isLandscape);
    };
    orientation.addEventListener("change", onTurn);
    return () => orientation.removeEventListener("change", onTurn);
  }, [playback]);
}
