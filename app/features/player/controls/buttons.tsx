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
} from "lucide-react";
import { SEEK_STEP_S } from "../constants";
import { CaptionsIcon, PictureInPictureIcon } from "../icons";
import { usePlayer } from "../player-context";
import { useStored } from "../store";
import { ControlButton } from "./control-button";
import { usePictureInPicture } from "./use-picture-in-picture";

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

/** Specification, section 2: 10 seconds back and forward, on larger screens. */
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
      label="Picture in picture"
      pressed={window.active}
      onPress={window.toggle}
    >
      <PictureInPictureIcon />
    </ControlButton>
  );
}

/** The player as wide as the page; in fullscreen it is wider already. */
export function TheatreButton() {
  const { theatre, toggleTheatre, fullscreen } = usePlayer();
  if (fullscreen.active) return null;
  return (
    <ControlButton
      className="player-widest"
      label="Theatre mode"
      shortcut="t"
      pressed={theatre}
      onPress={toggleTheatre}
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

/** Landscape or portrait in fullscreen, where screens lock (specification, section 2). */
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
