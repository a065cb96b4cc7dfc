import { useEffect, useRef } from "react";
import { useListener } from "~/ui/use-listener";
import { BRIGHTNESS_RANGE, type Commands, clamp, type Range, VOLUME_RANGE } from "./commands";
import {
  DOUBLE_TAP_WINDOW_MS,
  HOLD_AFTER_MS,
  SEEK_STEP_S,
  SWIPE_DECIDE_PX,
  SWIPE_THRESHOLD_PX,
  SWIPE_TRAVEL,
} from "./constants";
import type { FeedbackBoard, Side } from "./feedback";
import type { PlaybackState } from "./playback-state";

/** A series of taps in quick succession, each within the double-tap window of the previous one. */
export interface TapSeries {
  /** The time of the last tap, in milliseconds. */
  at: number;
  side: Side;
  /** The number of taps. The first tap may toggle playback; each of the following taps seeks. */
  count: number;
}

/**
 * Returns the series that a tap starts or continues. Two taps on different halves still count as a double tap on the
 * half of the second tap, because fingers stray across the middle.
 */
export function nextTap(previous: TapSeries | undefined, at: number, side: Side): TapSeries {
  const follows = previous !== undefined && at - previous.at <= DOUBLE_TAP_WINDOW_MS;
  return { at, side, count: follows ? previous.count + 1 : 1 };
}

/**
 * Returns the number of seconds to seek for the last tap in a series; 0 for the first tap, which may toggle playback.
 */
export function seekOf(series: TapSeries): number {
  if (series.count < 2) return 0;
  return series.side === "right" ? SEEK_STEP_S : -SEEK_STEP_S;
}

export function sideOf(x: number, box: { left: number; width: number }): Side {
  return x < box.left + box.width / 2 ? "left" : "right";
}

/**
 * Handles single and double taps and clicks on the video (specification, section 2). A single tap doesn't toggle
 * playback until the double-tap window has passed, so that a double tap never pauses the video briefly. The first tap
 * before playback starts the video immediately, since seeking would be pointless. `intercept` can claim a tap for
 * something else, such as closing a menu. Tapping the bottom edge, where the hidden controls are, shows them without
 * pausing.
 */
export function useTaps(
  element: HTMLVideoElement,
  commands: Commands,
  playback: PlaybackState,
  actions: {
    intercept: () => boolean;
    /** Returns whether a tap at this height is in the area where the hidden controls appear. */
    touchesHidden: (y: number) => boolean;
    wake: () => void;
  },
): void {
  const series = useRef<TapSeries>();
  const toggle = useRef<ReturnType<typeof setTimeout>>();
  const isTouch = useRef(false);

  // Not every browser reports the pointer type with the click event.
  useListener(element, "pointerdown", ({ pointerType }: PointerEvent) => {
    isTouch.current = pointerType === "touch";
  });
  useListener(element, "click", (event: MouseEvent) => {
    if (event.button !== 0 || actions.intercept()) return;
    const showsControls = isTouch.current && actions.touchesHidden(event.clientY);
    const box = element.getBoundingClientRect();
    series.current = nextTap(series.current, performance.now(), sideOf(event.clientX, box));
    const seconds = seekOf(series.current);
    clearTimeout(toggle.current);
    if (seconds !== 0) {
      commands.seekBy(seconds, { x: event.clientX - box.left, y: event.clientY - box.top });
    } else if (!playback.get().started) {
      commands.play();
    } else {
      toggle.current = setTimeout(() => {
        series.current = undefined;
        if (showsControls) actions.wake();
        else commands.togglePlay();
      }, DOUBLE_TAP_WINDOW_MS);
    }
  });
  const forget = () => {
    clearTimeout(toggle.current);
    series.current = undefined;
  };
  useListener(element, "emptied", forget);
  useEffect(() => forget, []);
}

/**
 * Plays at double speed while a finger or the mouse is held on a playing video. If the pointer moves before the speed
 * changes, the gesture is a swipe. The click that ends a hold doesn't count as a tap: the returned function reports,
 * once per press, whether the last press was a hold.
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
    // The browser's context menu would otherwise open under the finger and end the touch.
    const onMenu = (event: MouseEvent) => {
      if (press) event.preventDefault();
    };

    const listening = new AbortController();
    const { signal } = listening;
    element.addEventListener("pointerdown", onDown, { signal });
    element.addEventListener("pointermove", onMove, { signal });
    element.addEventListener("contextmenu", onMenu, { signal });
    for (const event of RELEASE_EVENTS) element.addEventListener(event, release, { signal });
    // The mouse button may be released outside the video, or while another window has the focus.
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

/** The player handles vertical swipes; the browser handles horizontal ones (scrolling, back gesture). */
type Direction = "undecided" | "vertical" | "horizontal";

export function directionOf(dx: number, dy: number): Direction {
  if (Math.max(Math.abs(dx), Math.abs(dy)) < SWIPE_DECIDE_PX) return "undecided";
  return Math.abs(dy) > Math.abs(dx) ? "vertical" : "horizontal";
}

/**
 * Returns the level after a finger has moved by `dy` pixels (down is positive), or undefined if it hasn't moved beyond
 * the threshold. The distance is measured from the threshold, so that the level doesn't jump when the threshold is
 * crossed.
 */
export function swipeLevel(
  from: number,
  dy: number,
  height: number,
  range: Range,
): number | undefined {
  if (Math.abs(dy) < SWIPE_THRESHOLD_PX) return undefined;
  const traveled = dy - Math.sign(dy) * SWIPE_THRESHOLD_PX;
  const full = Math.max(height * SWIPE_TRAVEL, 1);
  return clamp(from - (traveled / full) * (range.max - range.min), range);
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

/** The elements on which swipes may start: the video or its controls, but not the seek bar or open menus. */
const SWIPE_AREA = "video, .player-bar :not([data-seek-bar])";

/**
 * Handles vertical swipes on a touch screen (specification, section 2): volume on the right half, brightness on the
 * left. The browser is only prevented from handling vertical moves of a single finger, so that horizontal scrolling and
 * pinching still work. If only hardware keys can set the volume, swiping on the right half scrolls the page.
 */
export function useSwipes(
  root: HTMLElement,
  element: HTMLVideoElement,
  commands: Commands,
  feedback: FeedbackBoard,
  volumeSettable: boolean,
): void {
  const current = useRef<Swipe>();
  const stop = () => {
    current.current = undefined;
  };

  useListener(root, "touchstart", (event: TouchEvent) => {
    stop();
    const finger = event.touches[0]!;
    const zoomed = visualViewport!.scale > 1.01;
    const isInArea = (event.target as Element).matches(SWIPE_AREA);
    if (event.touches[1] || zoomed || !isInArea) return;
    const box = element.getBoundingClientRect();
    const level = sideOf(finger.clientX, box) === "right" ? "volume" : "brightness";
    if (level === "volume" && !volumeSettable) return;
    current.current = {
      finger: finger.identifier,
      x: finger.clientX,
      y: finger.clientY,
      height: box.height,
      level,
      from: level === "volume" ? commands.volume() : commands.brightness(),
      direction: "undecided",
    };
  });

  useListener(root, "touchmove", (event: TouchEvent) => {
    const finger = event.touches[0]!;
    const swipe = current.current;
    if (!swipe || event.touches[1] || finger.identifier !== swipe.finger) return stop();
    // While a finger is held on the video to play it at double speed, the finger may move.
    if (commands.isSpeedHeld()) {
      if (event.cancelable) event.preventDefault();
      return;
    }
    const dx = finger.clientX - swipe.x;
    const dy = finger.clientY - swipe.y;
    if (swipe.direction === "undecided") swipe.direction = directionOf(dx, dy);
    if (swipe.direction === "horizontal") return stop();
    // Called before the direction is certain, because `preventDefault` has no effect once the browser has started to
    // scroll.
    if (event.cancelable && Math.abs(dy) > Math.abs(dx)) event.preventDefault();
    if (swipe.direction === "undecided") return;
    const { level, from, height } = swipe;
    const range = level === "volume" ? VOLUME_RANGE : BRIGHTNESS_RANGE;
    const value = swipeLevel(from, dy, height, range);
    if (value === undefined) return;
    if (level === "volume") commands.setVolume(value);
    else commands.setBrightness(value);
    feedback.level(level, value);
  });

  // A rotation changes the halves and the height under the finger, so it ends the swipe.
  useListener("window", "resize", stop);
  useListener(element, "emptied", stop);
}
