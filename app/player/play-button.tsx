import { Pause, Play, RotateCcw } from "lucide-react";
import { ControlButton } from "./control-button";
import { usePlayer } from "./player-context";
import { useStored } from "./store";

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
