import { useEffect, useRef, useState } from "react";
import { NEXT_COUNTDOWN_S } from "../constants";
import { useEscape } from "../settings/focus";
import type { NextVideo } from "../types";

/** At the end: the next video of the related list in 8 seconds, unless it is cancelled. */
export function NextCard({
  next,
  onOpen,
  onCancel,
}: {
  next: NextVideo;
  onOpen(): void;
  onCancel(): void;
}) {
  const left = useCountdown(NEXT_COUNTDOWN_S, onOpen);
  useEscape(onCancel);
  return (
    <section className="player-next" aria-label="Next video">
      {next.thumbnailUrl ? <img src={next.thumbnailUrl} alt="" /> : null}
      <div className="player-next-text">
        <p role="timer">
          Next video in <span className="player-next-count">{left}</span>
        </p>
        <p className="player-next-title">{next.title}</p>
        <div className="player-next-actions">
          <button type="button" className="player-action" onClick={onOpen}>
            Play now
          </button>
          <button type="button" className="player-action player-quiet" onClick={onCancel}>
            Cancel
          </button>
        </div>
      </div>
    </section>
  );
}

/** Seconds left; calls `onEnd` once, at 0. It holds while nobody sees the page. */
function useCountdown(seconds: number, onEnd: () => void): number {
  const [left, setLeft] = useState(seconds);
  const latest = useRef(onEnd);
  latest.current = onEnd;
  useEffect(() => {
    // The page renders again while it leaves; that is no second end.
    if (left === 0) return latest.current();
    const timer = setInterval(() => {
      if (!document.hidden) setLeft(left - 1);
    }, 1_000);
    return () => clearInterval(timer);
  }, [left]);
  return left;
}
