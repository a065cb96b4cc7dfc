import { useEffect, useRef } from "react";
import type { Commands } from "./commands";
import { DOUBLE_TAP_WINDOW_MS } from "./constants";
import type { PlaybackMirror } from "./playback";
import { nextTap, seekOf, sideOf, type TapSeries } from "./taps";

/**
 * Single and double taps and clicks on the picture (specification, section 2). A single one toggles
 * play when the double-tap window has passed, so that a double one never pauses the video for an instant. The very
 * first starts at once: before the video has begun, there is nothing that a double tap would keep.
 * `swallow` may take a tap for something else, such as closing a menu.
 */
export function useTaps(
  element: HTMLVideoElement,
  commands: Commands,
  playback: PlaybackMirror,
  swallow: () => boolean,
): void {
  const take = useRef(swallow);
  take.current = swallow;

  useEffect(() => {
    let series: TapSeries | undefined;
    let toggle: ReturnType<typeof setTimeout> | undefined;

    const onClick = (event: MouseEvent) => {
      if (event.button !== 0 || take.current()) return;
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
          commands.togglePlay();
        }, DOUBLE_TAP_WINDOW_MS);
      }
    };
    const forget = () => {
      clearTimeout(toggle);
      series = undefined;
    };
    element.addEventListener("click", onClick);
    element.addEventListener("emptied", forget);
    return () => {
      forget();
      element.removeEventListener("click", onClick);
      element.removeEventListener("emptied", forget);
    };
  }, [element, commands, playback]);
}
