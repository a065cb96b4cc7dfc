import { useRef } from "react";
import { usePlayer } from "./player-context";
import { useStored } from "./store";
import { formatTime } from "./times";
import { useMediaTime } from "./use-media-time";
import { writeText } from "./write-text";

/** Elapsed and total time. The elapsed one is written without rendering. */
export function TimeDisplay() {
  const { element, playback, video } = usePlayer();
  const duration = useStored(playback, "duration");
  const elapsed = useRef<HTMLSpanElement>(null);
  useMediaTime(element, (seconds) => {
    if (elapsed.current) writeText(elapsed.current, formatTime(seconds));
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
