import {
  ChevronsLeft,
  ChevronsRight,
  Gauge,
  Link,
  Pause,
  Play,
  Repeat,
  Sun,
  Volume2,
  VolumeX,
} from "lucide-react";
import type { CSSProperties } from "react";
import { BRIGHTNESS_RANGE, VOLUME_RANGE } from "../commands";
import { CaptionsIcon, type IconType } from "../icons";
import { usePlayer } from "../player-context";
import { useStore } from "../store";
import type { Feedback, Note } from "./feedback";

/** The answers to keys, taps and swipes. */
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

/** Specification, section 2: a vertical bar, on the half that the finger doesn't cover. */
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
