import { useEffect } from "react";
import { BRIGHTNESS_RANGE, type Commands, VOLUME_RANGE } from "../commands";
import { SWIPE_DECIDE_PX, SWIPE_THRESHOLD_PX, SWIPE_TRAVEL } from "../constants";
import type { FeedbackBoard } from "../overlays/feedback";
import { clamp, type Range } from "../range";
import { sideOf } from "./taps";

/** `vertical` is ours; `horizontal` is the browser's (scroll, back gesture) for good. */
export type Direction = "undecided" | "vertical" | "horizontal";

export function directionOf(dx: number, dy: number): Direction {
  if (Math.max(Math.abs(dx), Math.abs(dy)) < SWIPE_DECIDE_PX) return "undecided";
  return Math.abs(dy) > Math.abs(dx) ? "vertical" : "horizontal";
}

/**
 * The level after a finger has moved by `dy` (down is positive), or undefined up to the threshold.
 * Counting begins at the threshold, so that the level doesn't jump when it is passed.
 */
export function swipeLevel(
  from: number,
  dy: number,
  height: number,
  range: Range,
): number | undefined {
  if (Math.abs(dy) < SWIPE_THRESHOLD_PX) return undefined;
  const travelled = dy - Math.sign(dy) * SWIPE_THRESHOLD_PX;
  const full = Math.max(height * SWIPE_TRAVEL, 1);
  return clamp(from - (travelled / full) * (range.max - range.min), range);
}

interface Swipe {
  finger: number;
  x: number;
  y: number;
  height: number;
  level: "volume" | "brightness";
  from: number;
  direction: Direction;
}

/** A swipe starts on the video or its controls; the seek bar and open menus keep theirs. */
const SWIPE_AREA = "video, .player-bar :not([data-seek-bar])";

/**
 * Vertical swipes on a touch screen (specification, section 2): volume on the right half, brightness
 * on the left. Only a vertical move of a single finger is kept from the browser, so that scrolling
 * sideways and pinching stay its own. Where the device sets the volume by its keys only, the right
 * half scrolls the page like anything else.
 */
export function useSwipes(
  root: HTMLElement,
  element: HTMLVideoElement,
  commands: Commands,
  feedback: FeedbackBoard,
  volumeSettable: boolean,
): void {
  useEffect(() => {
    let swipe: Swipe | undefined;
    const stop = () => {
      swipe = undefined;
    };

    const onStart = (event: TouchEvent) => {
      const finger = event.touches[0]!;
      const zoomed = visualViewport!.scale > 1.01;
      const isInArea = (event.target as Element).matches(SWIPE_AREA);
      if (event.touches[1] || zoomed || !isInArea) return stop();
      const box = element.getBoundingClientRect();
      const level = sideOf(finger.clientX, box) === "right" ? "volume" : "brightness";
      if (level === "volume" && !volumeSettable) return stop();
      swipe = {
        finger: finger.identifier,
        x: finger.clientX,
        y: finger.clientY,
        height: box.height,
        level,
        from: level === "volume" ? commands.volume() : commands.brightness(),
        direction: "undecided",
      };
    };

    const onMove = (event: TouchEvent) => {
      const finger = event.touches[0]!;
      if (!swipe || event.touches[1] || finger.identifier !== swipe.finger) return stop();
      // A finger that holds the double speed may stray.
      if (commands.isSpeedHeld()) {
        if (event.cancelable) event.preventDefault();
        return;
      }
      const dx = finger.clientX - swipe.x;
      const dy = finger.clientY - swipe.y;
      if (swipe.direction === "undecided") swipe.direction = directionOf(dx, dy);
      if (swipe.direction === "horizontal") return stop();
      // Before the direction is certain too: once the browser has begun to scroll, it is too late.
      if (event.cancelable && Math.abs(dy) > Math.abs(dx)) event.preventDefault();
      if (swipe.direction === "vertical") apply(swipe, dy);
    };

    const apply = ({ level, from, height }: Swipe, dy: number) => {
      const range = level === "volume" ? VOLUME_RANGE : BRIGHTNESS_RANGE;
      const value = swipeLevel(from, dy, height, range);
      if (value === undefined) return;
      if (level === "volume") commands.setVolume(value);
      else commands.setBrightness(value);
      feedback.level(level, value);
    };

    root.addEventListener("touchstart", onStart, { passive: true });
    root.addEventListener("touchmove", onMove, { passive: false });
    // A rotation moves the halves and the height from under the finger: the level stays as it is.
    window.addEventListener("resize", stop);
    element.addEventListener("emptied", stop);
    return () => {
      root.removeEventListener("touchstart", onStart);
      root.removeEventListener("touchmove", onMove);
      window.removeEventListener("resize", stop);
      element.removeEventListener("emptied", stop);
    };
  }, [root, element, commands, feedback, volumeSettable]);
}
