import { useRef } from "react";
import { usePlayer } from "./player-context";
import { useStore } from "./store";
import { formatTime } from "./times";
import { useMediaTime } from "./use-media-time";

/** Elapsed and total time. The elapsed one is written without rendering. */
export function TimeDisplay() {
  const { element, playback, video } = usePlayer();
  const { duration } = useStore(playback);
  const elapsed = useRef<HTMLSpanElement>(null);
  useMediaTime(element, (seconds) => {
    const text = formatTime(seconds);
    if (elapsed.current && elapsed.current.textContent !== text) {
      elapsed.current.textContent = text;
    }
  });
  return (
    <div className="player-time">
      <span className="sr-only">Elapsed </span>
      <span ref={elapsed} data-elapsed />
      <span aria-hidden="true"> / </span>
      <span className="sr-only"> of </span>
      <span data-total>{formatTime(duration || (video.durationSeconds ?? 0))}</span>
    </div>
  );
}
