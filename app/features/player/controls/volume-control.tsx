import { Volume1, Volume2, VolumeX } from "lucide-react";
import { type CSSProperties, useEffect, useState } from "react";
import { VOLUME_MAX, VOLUME_MIN, VOLUME_STEP } from "../constants";
import { usePlayer } from "../player-context";
import { useStored } from "../store";
import { ControlButton } from "./control-button";

/** Mute, and on larger screens the slider, where a script may set the volume. */
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

/** Whether a script may set the volume. On an iPhone only its keys do: the property stays at 1. */
export function useVolumeSettable(): boolean {
  const [settable, setSettable] = useState(true);
  useEffect(() => {
    const probe = document.createElement("video");
    probe.volume = 0.5;
    setSettable(probe.volume === 0.5);
  }, []);
  return settable;
}
