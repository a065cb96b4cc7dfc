import {
  ChevronsLeft,
  ChevronsRight,
  Gauge,
  History,
  Link,
  Pause,
  Play,
  Repeat,
  RotateCw,
  Sun,
  Volume2,
  VolumeX,
  X,
} from "lucide-react";
import { type CSSProperties, useEffect, useRef, useState } from "react";
import { useStore, useStored } from "~/ui/store";
import { BRIGHTNESS_RANGE, VOLUME_RANGE } from "./commands";
import { NEXT_COUNTDOWN_S } from "./constants";
import type { Feedback, Note } from "./feedback";
import { CaptionsIcon, type IconType } from "./icons";
import { formatTime } from "./media-time";
import { useResume } from "./memory";
import { usePlayer } from "./player-context";
import { PROBLEM_MESSAGES, type Recovery } from "./recovery";
import type { NextVideo } from "./types";
import { useEscape } from "./visibility";

/** The card that is shown at the end and opens the next video after 8 seconds unless canceled. */
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
          Next video in <span className="player-next-count">{left}</span> s
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

/** Returns the number of seconds left and calls `onEnd` once, when it reaches 0. Pauses while the page is hidden. */
function useCountdown(seconds: number, onEnd: () => void): number {
  const [left, setLeft] = useState(seconds);
  const latest = useRef(onEnd);
  latest.current = onEnd;
  useEffect(() => {
    // The page may be rendered again during the navigation to the next page, but `onEnd` must not be called twice.
    if (left === 0) return latest.current();
    const timer = setInterval(() => {
      if (!document.hidden) setLeft(left - 1);
    }, 1_000);
    return () => clearInterval(timer);
  }, [left]);
  return left;
}

/**
 * Explains why the video can't play, with a retry button where that may help. The specification says only that the
 * spinner stops (section 8), which would leave visitors with a still image and no explanation.
 */
export function ProblemNotice({ recovery }: { recovery: Recovery }) {
  const problem = useStore(recovery.problem);
  if (!problem) return null;
  return (
    <div className="player-problem" role="alert">
      <p>{PROBLEM_MESSAGES[problem]}</p>
      {problem === "preparing" ? null : (
        <button type="button" className="player-action" onClick={recovery.retry}>
          <RotateCw aria-hidden="true" />
          Retry
        </button>
      )}
    </div>
  );
}

/**
 * The buffering indicator, shown until there is a problem to report. Its text is visible to everyone, not only to
 * screen readers.
 */
export function Spinner({ recovery }: { recovery: Recovery }) {
  const { playback } = usePlayer();
  const buffering = useStored(playback, "buffering");
  const problem = useStore(recovery.problem);
  return (
    <div role="status" className="player-middle">
      {buffering && !problem ? (
        <div className="player-waiting">
          <div className="player-spinner" aria-hidden="true" />
          <span>Buffering…</span>
        </div>
      ) : null}
    </div>
  );
}

/** Offers to resume where the visitor stopped watching. Playback is never resumed automatically. */
export function ResumePrompt() {
  const { element, commands, video } = usePlayer();
  const { position, dismiss } = useResume(element, commands, video.id);
  if (position === undefined) return null;
  function resume() {
    commands.seekTo(position ?? 0);
    commands.play();
    dismiss();
  }
  return (
    <div className="player-resume">
      <button type="button" className="player-action" onClick={resume}>
        <History aria-hidden="true" />
        Resume at {formatTime(position)}
      </button>
      <button
        type="button"
        className="player-button"
        aria-label="Start from the beginning"
        onClick={dismiss}
      >
        <X />
      </button>
    </div>
  );
}

/** The on-screen feedback for keys, taps and swipes. */
export function FeedbackLayer() {
  const { feedback } = usePlayer();
  const shown = useStore(feedback.store);
  return (
    <div className="player-feedback" role="status">
      {shown?.kind === "seek" ? <SeekRipple {...shown} /> : null}
      {shown?.kind === "level" ? <LevelIndicator {...shown} /> : null}
      {shown?.kind === "note" ? <NoteBubble key={shown.sequence} {...shown} /> : null}
    </div>
  );
}

function SeekRipple({ side, seconds, sequence, at }: Extract<Feedback, { kind: "seek" }>) {
  const Icon = side === "right" ? ChevronsRight : ChevronsLeft;
  const style = at && ({ "--x": `${at.x}px`, "--y": `${at.y}px` } as CSSProperties);
  return (
    <>
      {at ? <span key={sequence} className="player-ripple-wave" style={style} /> : null}
      <div className="player-ripple" data-side={side}>
        <div className="player-ripple-text">
          <Icon key={sequence} aria-hidden="true" />
          <span>
            <span className="sr-only">{side === "right" ? "Forward " : "Back "}</span>
            {seconds} s
          </span>
        </div>
      </div>
    </>
  );
}

/** A vertical bar on the half of the player that the finger doesn't cover (specification, section 2). */
function LevelIndicator({ level, value }: Extract<Feedback, { kind: "level" }>) {
  const { min, max } = level === "volume" ? VOLUME_RANGE : BRIGHTNESS_RANGE;
  const Icon = level === "brightness" ? Sun : value === 0 ? VolumeX : Volume2;
  const style = { "--level": (value - min) / (max - min) } as CSSProperties;
  return (
    <div className="player-level" data-level={level}>
      <span className="sr-only">{level === "volume" ? "Volume " : "Brightness "}</span>
      <span>{Math.round(value * 100)}%</span>
      <div className="player-level-bar" aria-hidden="true">
        <div style={style} />
      </div>
      <Icon aria-hidden="true" />
    </div>
  );
}

const NOTE_ICONS: Record<Note, IconType> = {
  play: Play,
  pause: Pause,
  speed: Gauge,
  link: Link,
  loop: Repeat,
  captions: CaptionsIcon,
};

function NoteBubble({ note, text }: Extract<Feedback, { kind: "note" }>) {
  const Icon = NOTE_ICONS[note];
  const wordless = note === "play" || note === "pause";
  return (
    <div className="player-note" data-wordless={wordless || undefined}>
      <Icon aria-hidden="true" className={wordless ? "player-solid" : undefined} />
      <span className={wordless ? "sr-only" : undefined}>{text}</span>
    </div>
  );
}
