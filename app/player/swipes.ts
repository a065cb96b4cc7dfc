import { SWIPE_DECIDE_PX, SWIPE_THRESHOLD_PX, SWIPE_TRAVEL } from "./constants";

/** `vertical` is ours; `horizontal` is the browser's (scroll, back gesture) for good. */
export type Direction = "undecided" | "vertical" | "horizontal";

export function directionOf(dx: number, dy: number): Direction {
  if (Math.max(Math.abs(dx), Math.abs(dy)) < SWIPE_DECIDE_PX) return "undecided";
  return Math.abs(dy) > Math.abs(dx) ? "vertical" : "horizontal";
}

export interface Range {
  min: number;
  max: number;
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

export function clamp(value: number, { min, max }: Range): number {
  return Math.min(Math.max(value, min), max);
}
