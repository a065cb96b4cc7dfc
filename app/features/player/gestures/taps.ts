import { useEffect, useRef } from "react";
import type { Commands } from "../commands";
import { DOUBLE_TAP_WINDOW_MS, SEEK_STEP_S } from "../constants";
import type { Side } from "../overlays/feedback";
import type { PlaybackState } from "../playback-state";

/** Taps that follow each other within the double-tap window. */
export interface TapSeries {
  /** Milliseconds, of the last tap. */
  at: number;
  side: Side;
  /** 1 may become a toggle of play; each one past it is a seek. */
  count: number;
}

/**
 * The series that a tap begins or goes on with. Two taps on different halves are still a double
 * tap, of the half where the second one lands: fingers stray over the middle.
 */
export function nextTap(previous: TapSeries | undefined, at: number, side: Side): TapSeries {
  const follows = previous !== undefined && at - previous.at <= DOUBLE_TAP_WINDOW_MS;
  return { at, side, count: follows ? previous.count + 1 : 1 };
}

/** Seconds to seek for the last tap of a series; 0 for the first, which only may toggle play. */
export function seekOf(series: TapSeries): number {
  if (series.count < 2) return 0;
  return series.side === "right" ? SEEK_STEP_S : -SEEK_STEP_S;
}

export function sideOf(x: number, box: { left: number; width: number }): Side {
  return x < box.left + box.width / 2 ? "left" : "right";
}

/**
 * Single and double taps and clicks on the picture (specification, section 2). A single one toggles
 * play when the double-tap window has passed, so that a double one never pauses the video for an instant. The very
 * first starts at once: before the video has begun, there is nothing that a double tap would keep.
 * `intercept` may take a tap for something else, such as closing a menu. A finger shows hidden controls
 * without pausing where they are: at the lower edge.
 */
export function useTaps(
  element: HTMLVideoElement,
  commands: Commands,
  playback: PlaybackState,
  actions: {
    intercept: () => boolean;
    /** Whether a finger at this height touches where the controls are that it can't see. */
    touchesHidden: (y: number) => boolean;
    wake: () => void;
  },
): void {
  const latest = useRef(actions);
  latest.current = actions;

  useEffect(() => {
    let series: TapSeries | undefined;
    let toggle: ReturnType<typeof setTimeout> | undefined;
    let isTouch = false;

    // Not every browser reports it with the click.
    const onDown = (event: PointerEvent) => {
      isTouch = event.pointerType === "touch";
    };
    const onClick = (event: MouseEvent) => {
      if (event.button !== 0 || latest.current.intercept()) return;
      const asksForControls = isTouch && latest.current.touchesHidden(event.clientY);
      const box = element.getBoundingClientRect();
      series = nextTap(series, performance.now(), sideOf(event.clientX, box));
      const seconds = seekOf(series);
      clearTimeout(toggle);
      if (seconds !== 0) {
        commands.seekBy(seconds, { x: event.clientX - box.left, y: event.clientY - box.top });
      } else if (!playback.get().started) {
        commands.play();
      } else {
        toggle = setTimeout(() => {
          series = undefined;
          if (asksForControls) latest.current.wake();
          else commands.togglePlay();
        }, DOUBLE_TAP_WINDOW_MS);
      }
    };
    const forget = () => {
      clearTimeout(toggle);
      series = undefined;
    };
    element.addEventListener("pointerdown", onDown);
    element.addEventListener("click", onClick);
    element.addEventListener("emptied", forget);
    return () => {
      forget();
      element.removeEventListener("pointerdown", onDown);
      element.removeEventListener("click", onClick);
      element.removeEventListener("emptied", forget);
    };
  }, [element, commands, playback]);
}
