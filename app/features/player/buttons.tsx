import {
  Maximize,
  Minimize,
  Pause,
  Play,
  RectangleHorizontal,
  RotateCcw,
  RotateCw,
  SkipForward,
  Smartphone,
  Volume1,
  Volume2,
  VolumeX,
} from "lucide-react";
import { type CSSProperties, forwardRef, type ReactNode, useEffect, useState } from "react";
import { classNames } from "~/ui/class-names";
import { useStored } from "~/ui/store";
import { useListener } from "~/ui/use-listener";
import { SEEK_STEP_S, VOLUME_MAX, VOLUME_MIN, VOLUME_STEP } from "./constants";
import { CaptionsIcon, PictureInPictureIcon } from "./icons";
import { usePlayer } from "./player-context";

interface ControlButtonProps {
  label: string;
  /** The equivalent keyboard shortcut. */
  shortcut?: string;
  onPress(): void;
  className?: string;
  pressed?: boolean;
  /** Whether the menu is open, if the button opens one. */
  menuOpen?: boolean;
  children: ReactNode;
}

/**
 * A button of the control bar. Clicking or tapping it keeps the focus on the player, so that the space bar still
 * toggles playback and the controls can be hidden again.
 */
export const ControlButton = forwardRef<HTMLButtonElement, ControlButtonProps>(
  function ControlButton(
    { label, shortcut, onPress, className, pressed, menuOpen, children },
    ref,
  ) {
    const { root } = usePlayer();
    return (
      <button
        ref={ref}
        type="button"
        className={classNames("player-button", className)}
        aria-label={label}
        aria-pressed={pressed}
        aria-haspopup={menuOpen === undefined ? undefined : "menu"}
        aria-expanded={menuOpen}
        aria-keyshortcuts={shortcut}
        data-tip={shortcut ? `${label} (${shortcut})` : label}
        onMouseDown={(event) => {
          event.preventDefault();
          root.focus({ preventScroll: true });
        }}
        onClick={onPress}
      >
        {children}
      </button>
    );
  },
);

export function PlayButton() {
  const { playback, commands } = usePlayer();
  const paused = useStored(playback, "paused");
  const ended = useStored(playback, "ended");
  const label = ended ? "Play again" : paused ? "Play" : "Pause";
  return (
    <ControlButton label={label} shortcut="k" onPress={commands.togglePlay}>
      {ended ? (
        <RotateCcw />
      ) : paused ? (
        <Play className="player-solid" />
      ) : (
        <Pause className="player-solid" />
      )}
    </ControlButton>
  );
}

/** The buttons that seek back and forward by 10 seconds, shown on larger screens (specification, section 2). */
export function StepButtons() {
  const { commands } = usePlayer();
  return (
    <>
      <ControlButton
        className="player-larger player-step"
        label={`Back ${SEEK_STEP_S} seconds`}
        shortcut="j"
        onPress={() => commands.seekBy(-SEEK_STEP_S)}
      >
        <RotateCcw />
        <span aria-hidden="true">{SEEK_STEP_S}</span>
      </ControlButton>
      <ControlButton
        className="player-larger player-step"
        label={`Forward ${SEEK_STEP_S} seconds`}
        shortcut="l"
        onPress={() => commands.seekBy(SEEK_STEP_S)}
      >
        <RotateCw />
        <span aria-hidden="true">{SEEK_STEP_S}</span>
      </ControlButton>
    </>
  );
}

export function CaptionsButton() {
  const { captions } = usePlayer();
  if (captions.tracks.length === 0) return null;
  const shown = captions.chosen >= 0;
  return (
    <ControlButton
      className="player-larger"
      label="Captions"
      shortcut="c"
      pressed={shown}
      onPress={captions.toggle}
    >
      <CaptionsIcon />
    </ControlButton>
  );
}

export function PictureInPictureButton() {
  const { element } = usePlayer();
  const window = usePictureInPicture(element);
  if (!window.supported) return null;
  return (
    <ControlButton
      className="player-larger"
      label="Picture-in-picture"
      pressed={window.active}
      onPress={window.toggle}
    >
      <PictureInPictureIcon />
    </ControlButton>
  );
}

/** The button that makes the player as wide as the page. It isn't offered in fullscreen, which is wider anyway. */
export function TheaterButton() {
  const { theater, toggleTheater, fullscreen } = usePlayer();
  if (fullscreen.active) return null;
  return (
    <ControlButton
      className="player-widest"
      label="Theater mode"
      shortcut="t"
      pressed={theater}
      onPress={toggleTheater}
    >
      <RectangleHorizontal />
    </ControlButton>
  );
}

export function NextButton({ openNext }: { openNext: (() => void) | undefined }) {
  const { video } = usePlayer();
  if (!video.next || !openNext) return null;
  return (
    <ControlButton className="player-larger" label={`Next: ${video.next.title}`} onPress={openNext}>
      <SkipForward className="player-solid" />
    </ControlButton>
  );
}

export function FullscreenButton() {
  const { fullscreen } = usePlayer();
  if (!fullscreen.supported) return null;
  return (
    <ControlButton
      label={fullscreen.active ? "Exit fullscreen" : "Fullscreen"}
      shortcut="f"
      onPress={fullscreen.toggle}
    >
      {fullscreen.active ? <Minimize /> : <Maximize />}
    </ControlButton>
  );
}

/**
 * The button that switches between landscape and portrait in fullscreen if the screen orientation can be locked
 * (specification, section 2).
 */
export function OrientationButton() {
  const { fullscreen } = usePlayer();
  if (!fullscreen.active || !fullscreen.orientation) return null;
  const landscape = fullscreen.orientation === "landscape";
  return (
    <ControlButton
      label={landscape ? "Switch to portrait" : "Switch to landscape"}
      onPress={fullscreen.toggleOrientation}
    >
      <Smartphone className={landscape ? undefined : "player-turned"} />
    </ControlButton>
  );
}

/** Returns the state of picture-in-picture mode and a function that toggles it. */
export function usePictureInPicture(element: HTMLVideoElement) {
  const [active, setActive] = useState(document.pictureInPictureElement === element);
  useListener(element, "enterpictureinpicture leavepictureinpicture", ({ type }) =>
    setActive(type === "enterpictureinpicture"),
  );

  return {
    active,
    supported: document.pictureInPictureEnabled === true,
    /** Does nothing until metadata has been loaded, because browsers would reject the request. */
    toggle() {
      const done = active ? document.exitPictureInPicture() : element.requestPictureInPicture();
      void Promise.resolve(done).catch(() => {});
    },
  };
}

/** The mute button and, on larger screens, the volume slider if scripts can set the volume. */
export function VolumeControl({ settable }: { settable: boolean }) {
  const { root, playback, commands } = usePlayer();
  const muted = useStored(playback, "muted");
  const volume = useStored(playback, "volume");
  const heard = muted ? 0 : volume;
  return (
    <div className="player-volume">
      <ControlButton label={muted ? "Unmute" : "Mute"} shortcut="m" onPress={commands.toggleMute}>
        {muted ? <VolumeX /> : heard < 0.5 ? <Volume1 /> : <Volume2 />}
      </ControlButton>
      {settable ? (
        <input
          type="range"
          className="player-volume-slider player-larger"
          aria-label="Volume"
          aria-valuetext={`${Math.round(heard * 100)}%`}
          min={VOLUME_MIN}
          max={VOLUME_MAX}
          step={VOLUME_STEP}
          value={heard}
          style={{ "--level": heard } as CSSProperties}
          onChange={(event) => commands.setVolume(event.currentTarget.valueAsNumber)}
          onPointerUp={() => root.focus({ preventScroll: true })}
        />
      ) : null}
    </div>
  );
}

/**
 * Returns whether scripts can set the volume. On an iPhone, only the hardware keys can set it, and the property is
 * always 1.
 */
export function useVolumeSettable(): boolean {
  const [settable, setSettable] = useState(true);
  useEffect(() => {
    const probe = document.createElement("video");
    probe.volume = 0.5;
    setSettable(probe.volume === 0.5);
  }, []);
  return settable;
}
