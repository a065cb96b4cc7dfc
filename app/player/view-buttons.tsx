import { RectangleHorizontal, SkipForward } from "lucide-react";
import { ControlButton } from "./control-button";
import { CaptionsIcon, PictureInPictureIcon } from "./icons";
import { usePlayer } from "./player-context";
import { usePictureInPicture } from "./use-picture-in-picture";

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
