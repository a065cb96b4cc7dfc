import { RotateCcw, RotateCw } from "lucide-react";
import { SEEK_STEP_S } from "./constants";
import { ControlButton } from "./control-button";
import { usePlayer } from "./player-context";

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
