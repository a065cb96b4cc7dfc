import { Maximize, Minimize, Smartphone } from "lucide-react";
import { ControlButton } from "./control-button";
import { usePlayer } from "./player-context";

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
