import { useEffect, useRef } from "react";
import type { Commands } from "../commands";
import { HOLD_AFTER_MS, SWIPE_DECIDE_PX } from "../constants";

/**
 * A finger or the mouse that rests on the picture of a playing video plays it at double speed until
 * it is lifted. A move before that is a swipe. The click that ends a hold is no tap: the function
 * that is returned says, once, whether the last press was one.
 */
export function useHold(element: HTMLVideoElement, commands: Commands): () => boolean {
  const wasHeld = useRef(false);

  useEffect(() => {
    let press: { x: number; y: number } | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;

    const release = () => {
      clearTimeout(timer);
      press = undefined;
      commands.holdSpeed(false);
    };
    const onDown = (event: PointerEvent) => {
      release();
      wasHeld.current = false;
      if (event.button !== 0 || !event.isPrimary || element.paused) return;
      press = { x: event.clientX, y: event.clientY };
      timer = setTimeout(() => {
        wasHeld.current = true;
        commands.holdSpeed(true);
      }, HOLD_AFTER_MS);
    };
    const onMove = (event: PointerEvent) => {
      if (!press || commands.isSpeedHeld()) return;
      const moved = Math.max(Math.abs(event.clientX - press.x), Math.abs(event.clientY - press.y));
      if (moved >= SWIPE_DECIDE_PX) release();
    };
    // A browser's menu for the video would open under the finger, and end the touch.
    const onMenu = (event: MouseEvent) => {
      if (press) event.preventDefault();
    };

    const listening = new AbortController();
    const { signal } = listening;
    element.addEventListener("pointerdown", onDown, { signal });
    element.addEventListener("pointermove", onMove, { signal });
    element.addEventListener("contextmenu", onMenu, { signal });
    for (const event of RELEASE_EVENTS) element.addEventListener(event, release, { signal });
    // The mouse may be let go beside the picture, or while another window is in front.
    window.addEventListener("pointerup", release, { signal });
    window.addEventListener("blur", release, { signal });
    return () => {
      release();
      listening.abort();
    };
  }, [element, commands]);

  return () => {
    const held = wasHeld.current;
    wasHeld.current = false;
    return held;
  };
}

const RELEASE_EVENTS = ["pointercancel", "pause", "ended", "emptied"] as const;
